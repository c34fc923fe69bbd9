import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  type CallOptions,
  ExecutionCancelledError,
  LoginFailedError,
  type PlatformSession,
  type PlatformSessionInfo,
  SessionError,
} from 'portico/client';
import { Observation } from '../logging/observation.js';
import { type PresentedHandle, keyOf, sessionParty } from './handle.js';
import { type Beginning, type OpenSession } from './open-sessions.js';
import { PlatformLogout } from './platform-logout.service.js';
import { type AnswerReuse, RequestCoalescer } from './request-coalescer.js';
import { type KnownSession, type RequestContext } from './request-context.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { SessionEndings } from './session-endings.service.js';
import { rejectsSession, SessionRunner } from './session-runner.service.js';
import { onceAmongInstances } from './store/once-among-instances.js';
import { SessionStore, timeoutMs } from './store/session-store.js';

/** Work on an open session. By the options its calls count for the caller, and a read ends when no caller waits. */
export type SessionCall<T> = (session: PlatformSession, call: CallOptions, storeKey: string) => Promise<T>;

/** The injection token for how answers to reads are kept. By default they are not. */
export const ReadReuse = Symbol('ReadReuse');

/** Starts, uses, and ends the sessions of callers. Resolvers reach the platform through it. */
@Injectable()
export class SessionService {
  readonly #reads: RequestCoalescer;
  readonly #extensions = new RequestCoalescer();
  /** Whether an answer to a read has ever renewed a session. From then on, reads are not aborted: one might do so. */
  #readsRenewSessions = false;

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly sealed: SealedSessions,
    private readonly runner: SessionRunner,
    private readonly observation: Observation,
    private readonly platformLogout: PlatformLogout,
    @Optional() @Inject(ReadReuse) reuse?: AnswerReuse,
    @Optional() private readonly endings?: SessionEndings,
  ) {
    this.#reads = new RequestCoalescer(reuse);
  }

  /**
   * Stores a session that has just logged in, under a new handle. It replaces the session whose handle the caller
   * sent over the same transport: that one ends. A handle of the other transport stays valid. A session that cannot
   * be stored is logged out again, so that none is left behind on the platform.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async create(
    context: RequestContext,
    session: PlatformSession,
    beginning: Beginning,
  ): Promise<OpenSession> {
    const { transport } = beginning;
    let open: OpenSession;
    try {
      const previous = context.presented?.transport === transport ? await this.#opened(context) : undefined;
      open = await this.sealed.create(session, { ...beginning, network: context.network });
      if (previous !== undefined) await this.#end(previous);
    } catch (error) {
      await this.platformLogout.end(session);
      throw error;
    }
    const { handle, expiresAt, key: storeKey, account } = open;
    this.observation.tell('sessionFound', { storeKey, account });
    context.presented = { handle, transport };
    context.open = Promise.resolve(open);
    context.known = undefined;
    if (transport === 'cookie') {
      context.cookie = { handle, seconds: Math.ceil((expiresAt - this.store.now()) / 1000) };
    }
    return open;
  }

  /**
   * Runs work on the caller's session and stores what the work changed, if the session is still current. The work
   * may change what reads return, so later reads do not share earlier ones. It runs once more if the platform
   * rejected a version of the session that has been replaced, or a service session, which is logged in again.
   *
   * @throws SessionError without a session, or when the platform no longer knows it; it is then removed here too.
   * @throws LoginFailedError instead, if the platform says so by `ERR003` or refuses the new login.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  use<T>(context: RequestContext, work: SessionCall<T>): Promise<T> {
    return this.#withOpen(context, (open) => {
      const party = sessionParty(context.network, open);
      const call = (session: PlatformSession): Promise<T> => work(session, { party }, open.key);
      return this.#asWrite(open, async () => (await this.runner.run(open, call)).result);
    });
  }

  /**
   * Like {@link use}, for a call that changes nothing. Callers who ask for the same thing while it runs share its
   * answer; when the last of them hangs up, it is aborted. It is not made for one who already has hung up.
   *
   * @param operation names the call and its arguments, if it has any; calls with the same name share an answer
   */
  read<T>(context: RequestContext, operation: string, work: SessionCall<T>): Promise<T> {
    return this.#withOpen(context, (open) => {
      const { signal: gone } = context;
      if (gone.aborted) throw new ExecutionCancelledError('The caller hung up before the call.');
      const name = `${open.stored.version} ${operation}`;
      const party = sessionParty(context.network, open);
      // Others may share the answer, so it is read even if this caller hangs up.
      const onLarge = async (): Promise<void> => context.onLarge?.().catch(() => undefined);
      const caller = this.#readsRenewSessions ? undefined : gone;
      const read = async (signal: AbortSignal | undefined): Promise<T> => {
        const ran = await this.runner.run(open, (session) =>
          work(session, { signal, party, onLarge }, open.key),
        );
        if (ran.hasChanged) this.#readsRenewSessions = true;
        return ran.result;
      };
      return this.#reads.share(open.key, name, read, caller);
    });
  }

  /**
   * Extends the caller's platform session. If many callers ask at the same time, here and in other instances, the
   * platform is asked once. A caller who hangs up does not abort it: its answer may renew the session, and others
   * may wait for it.
   *
   * @throws SessionError, ServiceError SESSION_STORE_UNAVAILABLE as for {@link use}.
   */
  extend(context: RequestContext): Promise<{ expiresAt: number }> {
    return this.#withOpen(context, async ({ key, expiresAt }) => {
      await this.#extensions.share(key, 'extend', () =>
        onceAmongInstances(this.store, key, async (waited) => {
          if (waited) context.open = undefined;
          const at = this.store.now();
          await this.use(context, (session, call) => session.extendSession(call));
          this.store.noteUse(key, at);
        }),
      );
      // The session may have been stored in a new state; the rest of this request starts from that.
      context.open = undefined;
      return { expiresAt };
    });
  }

  /**
   * The state of the caller's platform session. The call extends it.
   *
   * @throws SessionError, ServiceError SESSION_STORE_UNAVAILABLE as for {@link use}.
   */
  status(context: RequestContext): Promise<PlatformSessionInfo> {
    return this.read(context, 'getSessionInfo', async (session, call, key) => {
      const at = this.store.now();
      const info = await session.getSessionInfo(call);
      this.store.noteUse(key, at, timeoutMs(info.timeout));
      return info;
    });
  }

  /**
   * What is known about the caller's session; undefined without one. Does not call the platform and extends nothing.
   *
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  known(context: RequestContext): Promise<KnownSession | undefined> {
    return (context.known ??= ifThere(this.#look(context)));
  }

  /** Whether the caller holds a session. The platform is not asked. */
  async isOpen(context: RequestContext): Promise<boolean> {
    return (await this.#opened(context)) !== undefined;
  }

  /**
   * Ends the caller's session: first here, so that nothing brings it back, and then on the platform.
   *
   * @param everywhere whether the other sessions of its account end too; guests and delegated sessions have none.
   * @returns whether it has ended on the platform too; if not, that is tried again in the background
   * @throws SessionError without a session, ServiceError SESSION_STORE_UNAVAILABLE.
   */
  async end(context: RequestContext, everywhere = false): Promise<boolean> {
    const open = await this.#opening(context);
    let isPlatformLoggedOut: boolean;
    try {
      isPlatformLoggedOut = await this.#end(open);
      this.#forget(context, open, 'ended');
    } catch (error) {
      this.observation.tell('sessionEvent', { kind: 'logout', storeKey: open.key, error });
      // The record may be gone even if the store could not say so: the platform session could not be ended later.
      await this.platformLogout.end(open.session);
      throw error;
    }
    if (everywhere) await this.endings?.endEverywhere(open.account);
    return isPlatformLoggedOut;
  }

  #opening(context: RequestContext): Promise<OpenSession> {
    return (context.open ??= this.#load(context));
  }

  async #load(context: RequestContext): Promise<OpenSession> {
    const { open } = await this.#found(context, (presented) => {
      if (presented === undefined) return this.sealed.load(presented);
      const step = { kind: 'session', operation: 'load' } as const;
      return this.observation.step(step, () => this.sealed.load(presented));
    });
    return open;
  }

  async #look(context: RequestContext): Promise<KnownSession> {
    const { open, found } = await this.#found(context, (presented) => this.sealed.look(presented));
    const { expiresAt, idleExpiresAt, platformUse } = found;
    const { transport, startedAt, service } = open;
    const times = { startedAt, expiresAt, idleExpiresAt, platformUse };
    return { transport, profile: service?.profile, at: this.store.now(), ...times };
  }

  /** A cookie that opens nothing is useless to its browser, so the answer clears it. */
  async #found<T extends { readonly open: OpenSession }>(
    context: RequestContext,
    find: (presented: PresentedHandle | undefined) => Promise<T>,
  ): Promise<T> {
    const { presented } = context;
    try {
      const found = await find(presented);
      const { key: storeKey, account } = found.open;
      this.observation.tell('sessionFound', { storeKey, account });
      return found;
    } catch (thrown) {
      if (!(thrown instanceof SessionError)) throw thrown;
      // The later steps of an operation are told the same as the first.
      const error = (context.isRouter === true ? this.sealed.expiredLately(presented) : undefined) ?? thrown;
      if (presented)
        this.observation.tell('sessionEvent', { kind: 'refusal', storeKey: keyOf(presented), error });
      if (presented?.transport === 'cookie') context.cookie = 'useless';
      throw context.foreignBearer === true ? new SessionError(FOREIGN_TOKEN) : error;
    }
  }

  async #withOpen<T>(context: RequestContext, work: (open: OpenSession) => Promise<T>): Promise<T> {
    const open = await this.#opening(context);
    try {
      return await work(open);
    } catch (error) {
      if (endsSession(error, open)) {
        if (open.hasEnded) {
          this.#reads.forget(open.key);
          this.#forget(context, open, 'useless');
        } else context.open = undefined;
      }
      throw error;
    }
  }

  async #asWrite<T>({ key }: OpenSession, work: () => Promise<T>): Promise<T> {
    this.#reads.forget(key);
    try {
      return await work();
    } finally {
      this.#reads.forget(key);
    }
  }

  #opened(context: RequestContext): Promise<OpenSession | undefined> {
    return ifThere(this.#opening(context));
  }

  async #end(open: OpenSession): Promise<boolean> {
    await this.sealed.end(open);
    this.#reads.forget(open.key);
    return this.platformLogout.end(open.session, { kind: 'logout', storeKey: open.key });
  }

  /** The rest of the request has no session. */
  #forget(context: RequestContext, open: OpenSession, cookie: 'ended' | 'useless'): void {
    context.open = undefined;
    context.presented = undefined;
    if (open.transport === 'cookie') context.cookie = cookie;
  }
}

/** The answer, or undefined if there is no session. */
async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof SessionError) return undefined;
    throw error;
  }
}

/** Only the sender of such a token sees this, so it reveals nothing about any session. */
const FOREIGN_TOKEN =
  'There is no session: the bearer token of the request is not a session handle of this service. If it belongs to another service, see SESSION_HEADER';

/** A service session whose new login is refused has ended as well. */
function endsSession(error: unknown, { service }: OpenSession): boolean {
  return rejectsSession(error) || (service !== undefined && error instanceof LoginFailedError);
}
