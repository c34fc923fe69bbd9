import { Inject, Injectable, Logger } from '@nestjs/common';
import { PlatformClient, type PlatformSession, SessionError } from '../client/index.js';
import { newHandle, storeKey } from './handle.js';
import { type OpenSession } from './open-session.js';
import { type RequestContext } from './request-context.js';
import { RecordSeal } from './sealed-record.js';
import { type HandleTransport, type SessionRecord } from './session-record.js';
import { SessionStore } from './session-store.js';

/** The only door to a session: whatever a resolver wants of the platform passes here. */
@Injectable()
export class SessionService {
  private readonly logger = new Logger(SessionService.name);

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly seal: RecordSeal,
    private readonly client: PlatformClient,
  ) {}

  /**
   * Keeps a session that has just logged in, under a new handle. The session that the caller held before ends.
   * A session that cannot be kept is logged out again, so that none is left behind on the platform.
   *
   * @throws SessionStoreUnavailableError
   */
  async begin(
    context: RequestContext,
    session: PlatformSession,
    transport: HandleTransport,
  ): Promise<OpenSession> {
    const handle = newHandle();
    const key = storeKey(handle);
    const saved = session.json();
    const sealed = this.seal.seal(recordOf(session, transport), { handle, storeKey: key, version: 1 });
    let previous: OpenSession | undefined;
    let expiresAt: number;
    try {
      previous = await this.opened(context);
      expiresAt = await this.store.create(key, sealed);
    } catch (error) {
      await this.logoutAtPlatform(session);
      throw error;
    }
    const open = { ...begun(session, handle, transport), key, version: 1, expiresAt, saved };
    context.presented = { handle, transport };
    context.open = Promise.resolve(open);
    if (previous !== undefined) await this.close(previous);
    if (transport === 'cookie') context.cookie = { handle, expiresAt };
    return open;
  }

  /**
   * Runs work on the caller's session and keeps what the work changed, if the session is still current.
   *
   * @throws SessionError without a session, or when the platform no longer knows it: then it is forgotten here too.
   * @throws SessionStoreUnavailableError
   */
  async use<T>(
    context: RequestContext,
    work: (session: PlatformSession, open: OpenSession) => Promise<T>,
  ): Promise<T> {
    const open = await (context.open ??= this.load(context));
    try {
      const result = await work(open.session, open);
      await this.saveIfChanged(open);
      return result;
    } catch (error) {
      if (error instanceof SessionError) await this.forget(context, open);
      throw error;
    }
  }

  /** As {@link use}, for a read whose answer all fields of one request may share. */
  async read<T>(
    context: RequestContext,
    operation: string,
    work: (session: PlatformSession) => Promise<T>,
  ): Promise<T> {
    const { reads } = await (context.open ??= this.load(context));
    const shared = reads.get(operation) ?? this.use(context, work);
    reads.set(operation, shared);
    return (await shared) as T;
  }

  /** Whether the caller holds a session. The platform is not asked. */
  async isOpen(context: RequestContext): Promise<boolean> {
    return (await this.opened(context)) !== undefined;
  }

  /**
   * Ends the caller's session: first here, so that nothing brings it back, then on the platform.
   *
   * @throws SessionError without a session.
   * @throws SessionStoreUnavailableError
   */
  async end(context: RequestContext): Promise<void> {
    const open = await (context.open ??= this.load(context));
    await this.close(open);
    this.drop(context, open);
  }

  private async opened(context: RequestContext): Promise<OpenSession | undefined> {
    try {
      return await (context.open ??= this.load(context));
    } catch (error) {
      if (error instanceof SessionError) return undefined;
      throw error;
    }
  }

  private async load({ presented }: RequestContext): Promise<OpenSession> {
    if (presented === undefined) throw noSession();
    const { handle, transport } = presented;
    const key = storeKey(handle);
    const stored = await this.store.read(key);
    if (stored === undefined) throw noSession();
    const { version, expiresAt, sealed } = stored;
    const text = this.seal.open(sealed, { handle, storeKey: key, version });
    if (text === undefined) {
      this.logger.warn(
        'A stored session did not open: it was sealed by an unknown key or has been tampered with',
      );
      throw noSession();
    }
    const record = JSON.parse(text) as SessionRecord;
    if (record.transport !== transport) throw noSession();
    const session = this.client.restoreSession(record.snapshot);
    const saved = this.seal.isOld(sealed) ? '' : session.json();
    return { ...begun(session, handle, transport), key, version, expiresAt, saved };
  }

  private saveIfChanged(open: OpenSession): Promise<void> {
    return (open.writing = open.writing.then(() => this.save(open)));
  }

  private async save(open: OpenSession): Promise<void> {
    const saved = open.session.json();
    if (saved === open.saved) return;
    const { handle, key, transport, version } = open;
    const sealed = this.seal.seal(recordOf(open.session, transport), {
      handle,
      storeKey: key,
      version: version + 1,
    });
    // A session that has ended or moved on meanwhile stays as it is: what is late does not count.
    if (!(await this.store.replace(key, version, sealed))) return;
    open.version = version + 1;
    open.saved = saved;
  }

  private async forget(context: RequestContext, open: OpenSession): Promise<void> {
    if (await this.store.remove(open.key, open.version)) this.drop(context, open);
  }

  private async close(open: OpenSession): Promise<void> {
    if (await this.store.remove(open.key)) await this.logoutAtPlatform(open.session);
  }

  private drop(context: RequestContext, open: OpenSession): void {
    context.open = undefined;
    context.presented = undefined;
    if (open.transport === 'cookie') context.cookie = 'clear';
  }

  /** The handle is dead by now, so what the platform answers is news for the operator only. */
  private async logoutAtPlatform(session: PlatformSession): Promise<void> {
    try {
      await session.logout();
    } catch (error) {
      if (error instanceof SessionError) return;
      this.logger.warn(
        `A platform session could not be logged out: ${error instanceof Error ? error.name : 'error'}`,
      );
    }
  }
}

function begun(
  session: PlatformSession,
  handle: string,
  transport: HandleTransport,
): Pick<OpenSession, 'session' | 'handle' | 'transport' | 'writing' | 'reads'> {
  return { session, handle, transport, writing: Promise.resolve(), reads: new Map() };
}

function recordOf(session: PlatformSession, transport: HandleTransport): string {
  return JSON.stringify({ transport, snapshot: session.toDict() } satisfies SessionRecord);
}

function noSession(): SessionError {
  return new SessionError('There is no session: log in first');
}
