import { Inject, Injectable, Logger } from '@nestjs/common';
import { LoginFailedError, type PlatformSession, SessionError } from '../client/index.js';
import { InFlight } from './in-flight.js';
import { onceAmongInstances } from './store/once-among-instances.js';
import { type OpenSession } from './open-session.js';
import { logOutAtPlatform } from './platform-logout.js';
import { type RequestContext } from './request-context.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { type HandleTransport } from './session-record.js';
import { SessionRenewal } from './session-renewal.service.js';
import { SessionStore } from './store/session-store.js';

/** Work on an open platform session. */
export type SessionWork<T> = (session: PlatformSession) => Promise<T>;

/** Begins, uses, and ends the sessions of callers. Resolvers reach the platform through it. */
@Injectable()
export class SessionService {
  private readonly logger = new Logger(SessionService.name);
  private readonly reads = new InFlight();
  private readonly extensions = new InFlight();

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly sealed: SealedSessions,
    private readonly renewal: SessionRenewal,
  ) {}

  /**
   * Keeps a session that has just logged in, under a new handle, which takes the place of the one that the caller brought
   * over the same transport: that session ends. One that came over the other transport is still held, and goes on.
   * A session that cannot be kept is logged out again, so that none is left behind on the platform.
   *
   * @param profile the credential profile that opened it, by which it may log itself in again.
   * @throws SessionStoreUnavailableError
   */
  async begin(
    context: RequestContext,
    session: PlatformSession,
    transport: HandleTransport,
    profile?: string,
  ): Promise<OpenSession> {
    const service = profile === undefined ? undefined : { profile, logins: 1 };
    let open: OpenSession;
    try {
      const replaces = context.presented?.transport === transport;
      const previous = replaces ? await this.opened(context) : undefined;
      open = await this.sealed.create(session, transport, service);
      if (previous !== undefined) await this.close(previous);
    } catch (error) {
      await logOutAtPlatform(session, this.logger);
      throw error;
    }
    const { handle, expiresAt } = open;
    context.presented = { handle, transport };
    context.open = Promise.resolve(open);
    if (transport === 'cookie') context.cookie = { handle, expiresAt };
    return open;
  }

  /**
   * Runs work on the caller's session and keeps what the work changed, if the session is still current. The work may
   * change what reads would answer, so no later read takes part in one from before. A service session that the platform
   * no longer knows logs itself in again, and the work runs once more.
   *
   * @throws SessionError without a session, or when the platform no longer knows it: then it is forgotten here too.
   * @throws SessionStoreUnavailableError
   */
  use<T>(context: RequestContext, work: SessionWork<T>): Promise<T> {
    return this.withOpen(context, (open) => this.asWrite(open, () => this.run(open, work)));
  }

  /**
   * As {@link use}, for a call that changes nothing: callers who ask for the same while it runs share its answer.
   *
   * @param operation names the call, and its arguments if it has any: calls of one name share an answer
   */
  read<T>(context: RequestContext, operation: string, work: SessionWork<T>): Promise<T> {
    return this.withOpen(context, (open) => {
      const name = JSON.stringify([open.version, operation]);
      return this.reads.share(open.key, name, () => this.run(open, work));
    });
  }

  /**
   * Prolongs the caller's platform session. However many ask together, here and in other instances, the platform is
   * asked once.
   *
   * @throws SessionError, SessionStoreUnavailableError as {@link use}.
   */
  extend(context: RequestContext): Promise<{ expiresAt: number }> {
    return this.withOpen(context, async ({ key, expiresAt }) => {
      await this.extensions.share(key, 'extend', () =>
        onceAmongInstances(this.store, key, async (waited) => {
          if (waited) context.open = undefined;
          await this.use(context, (session) => session.extendSession());
        }),
      );
      // Whoever did it may have stored a new state of the session: what this request does next begins with that.
      context.open = undefined;
      return { expiresAt };
    });
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
    const open = await this.opening(context);
    try {
      await this.close(open);
    } catch (error) {
      // The record may be gone although the store could not say so: then nobody could end the platform session later.
      await logOutAtPlatform(open.session, this.logger);
      throw error;
    }
    this.drop(context, open);
  }

  private opening(context: RequestContext): Promise<OpenSession> {
    return (context.open ??= this.sealed.load(context.presented));
  }

  private async withOpen<T>(context: RequestContext, work: (open: OpenSession) => Promise<T>): Promise<T> {
    const open = await this.opening(context);
    try {
      return await work(open);
    } catch (error) {
      if (endsSession(error, open)) await this.forget(context, open);
      throw error;
    }
  }

  private async run<T>(open: OpenSession, work: SessionWork<T>): Promise<T> {
    const result = await this.renewal.run(open, () => work(open.session));
    await this.sealed.save(open);
    return result;
  }

  private async asWrite<T>({ key }: OpenSession, work: () => Promise<T>): Promise<T> {
    this.reads.drop(key);
    try {
      return await work();
    } finally {
      this.reads.drop(key);
    }
  }

  private async opened(context: RequestContext): Promise<OpenSession | undefined> {
    try {
      return await this.opening(context);
    } catch (error) {
      if (error instanceof SessionError) return undefined;
      throw error;
    }
  }

  /** The platform's verdict is on the version that was used: a newer one of the same handle stays. */
  private async forget(context: RequestContext, open: OpenSession): Promise<void> {
    const removed = await this.store.remove(open.key, open.version);
    if (removed || (await this.store.read(open.key)) === undefined) this.drop(context, open);
    else context.open = undefined;
  }

  private async close(open: OpenSession): Promise<void> {
    const session = await this.sealed.remove(open);
    this.reads.drop(open.key);
    await logOutAtPlatform(session, this.logger);
  }

  private drop(context: RequestContext, open: OpenSession): void {
    context.open = undefined;
    context.presented = undefined;
    if (open.transport === 'cookie') context.cookie = 'clear';
  }
}

/** A service session whose new login is refused has ended as well. */
function endsSession(error: unknown, { service }: OpenSession): boolean {
  return error instanceof SessionError || (service !== undefined && error instanceof LoginFailedError);
}
