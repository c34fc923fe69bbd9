import { Inject, Injectable, Logger } from '@nestjs/common';
import { PlatformClient, type PlatformSession, SessionError } from '../client/index.js';
import { newHandle, storeKey } from './handle.js';
import { type OpenSession } from './open-session.js';
import { type PresentedHandle } from './request-context.js';
import { RecordSeal } from './sealed-record.js';
import { type HandleTransport, type SessionRecord } from './session-record.js';
import { SessionStore } from './session-store.js';

/** Platform sessions in the store: sealed on the way in, opened by their handle on the way out. */
@Injectable()
export class SealedSessions {
  private readonly logger = new Logger(SealedSessions.name);

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly seal: RecordSeal,
    private readonly client: PlatformClient,
  ) {}

  /**
   * Stores a session under a new handle.
   *
   * @throws SessionStoreUnavailableError
   */
  async create(session: PlatformSession, transport: HandleTransport): Promise<OpenSession> {
    const handle = newHandle();
    const key = storeKey(handle);
    const saved = session.json();
    const sealed = this.seal.seal(recordOf(session, transport), { handle, storeKey: key, version: 1 });
    const expiresAt = await this.store.create(key, sealed);
    return { handle, key, transport, session, version: 1, expiresAt, saved, writing: Promise.resolve() };
  }

  /**
   * The session of a handle.
   *
   * @throws SessionError where there is none.
   * @throws SessionStoreUnavailableError
   */
  async load(presented: PresentedHandle | undefined): Promise<OpenSession> {
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
    return { handle, key, transport, session, version, expiresAt, saved, writing: Promise.resolve() };
  }

  /**
   * Stores what has changed, if the session is still the version that was read: what is late does not count.
   *
   * @throws SessionStoreUnavailableError
   */
  save(open: OpenSession): Promise<void> {
    return (open.writing = open.writing.then(() => this.saveIfChanged(open)));
  }

  private async saveIfChanged(open: OpenSession): Promise<void> {
    const saved = open.session.json();
    if (saved === open.saved) return;
    const { handle, key, transport, session } = open;
    const version = open.version + 1;
    const sealed = this.seal.seal(recordOf(session, transport), { handle, storeKey: key, version });
    if (!(await this.store.replace(key, open.version, sealed))) return;
    open.version = version;
    open.saved = saved;
  }
}

function recordOf(session: PlatformSession, transport: HandleTransport): string {
  return JSON.stringify({ transport, snapshot: session.toDict() } satisfies SessionRecord);
}

function noSession(): SessionError {
  return new SessionError('There is no session: log in first');
}
