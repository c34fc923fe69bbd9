import { Inject, Injectable } from '@nestjs/common';
import {
  isSessionExpired,
  LoginFailedError,
  PlatformClient,
  type PlatformSession,
  provesExpiry,
  SessionError,
} from 'portico/client';
import { storeUnavailable } from '../errors/service-error.js';
import { Observation } from '../logging/observation.js';
import { type OpenSession, type ServiceLogin } from './open-sessions.js';
import { PlatformLogout } from './platform-logout.service.js';
import { RequestCoalescer } from './request-coalescer.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { onceAmongInstances } from './store/once-among-instances.js';
import { SessionStore } from './store/session-store.js';

/**
 * A write fails only because of another one that was in flight when the platform session expired. There are few of
 * those.
 */
const MOST_WRITES = 5;

/** Work on an open platform session. */
export type SessionWork<T> = (session: PlatformSession, storeKey: string) => Promise<T>;

/** What the work returned, and whether it changed the stored session. */
export interface Ran<T> {
  readonly result: T;
  readonly hasChanged: boolean;
}

/** Logs in again for a session that a credential profile opened. The layer that has the credentials provides it. */
export interface Relogin {
  /**
   * Logs in a new platform session with freshly resolved credentials of the profile.
   *
   * @throws LoginFailedError when the platform refuses them, or the profile no longer exists.
   */
  logIn(session: PlatformSession, profile: string): Promise<void>;
}

/** The injection token of {@link Relogin}. */
export const Relogin = Symbol('Relogin');

/**
 * Runs work on sessions. When the platform no longer knows a session, it is logged in again if it can be; else it
 * expires.
 */
@Injectable()
export class SessionRunner {
  readonly #logins = new RequestCoalescer();

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly sealed: SealedSessions,
    private readonly client: PlatformClient,
    @Inject(Relogin) private readonly relogin: Relogin,
    private readonly observation: Observation,
    private readonly platformLogout: PlatformLogout,
  ) {}

  /**
   * Runs work and stores what it changed. It runs once more if the session that the platform rejected is not the
   * current one, or has been logged in again.
   *
   * @throws SessionError when the platform no longer knows the session. It has expired then, unless a cookie was
   *   withheld.
   * @throws LoginFailedError instead, if the platform says so by `ERR003` or refuses the new login.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async run<T>(open: OpenSession, work: SessionWork<T>): Promise<Ran<T>> {
    const { service } = open;
    const { version } = open.stored;
    try {
      return await this.#runOnce(open, work);
    } catch (error) {
      if (!rejectsSession(error)) throw error;
      if (!isSessionExpired(error) || !(await this.#recovers(open, version, service))) {
        await this.#expireIfProved(open, version, error);
        throw error;
      }
    }
    const { version: newVersion } = open.stored;
    try {
      return await this.#runOnce(open, work);
    } catch (error) {
      if (rejectsSession(error)) await this.#expireIfProved(open, newVersion, error);
      throw error;
    }
  }

  async #runOnce<T>(open: OpenSession, work: SessionWork<T>): Promise<Ran<T>> {
    const result = await work(open.session, open.key);
    return { result, hasChanged: await this.sealed.save(open) };
  }

  /** Whether there is a session other than the rejected one: another version of it, or a new login of its profile. */
  async #recovers(
    open: OpenSession,
    rejectedVersion: number,
    service: ServiceLogin | undefined,
  ): Promise<boolean> {
    const mayWait = service === undefined;
    if (await this.sealed.isReplaced(open, rejectedVersion, mayWait)) return true;
    if (service === undefined) return false;
    await this.#renew(open, service);
    return true;
  }

  /**
   * Logs in a service session again, unless there is already a newer login than the expired one. All requests that
   * find the session expired, here and in other instances, share the login.
   *
   * @throws LoginFailedError when the new login is refused; the session has ended then.
   * @throws SessionError when the session has been logged out.
   */
  async #renew(open: OpenSession, expired: ServiceLogin): Promise<void> {
    const login = `login ${expired.logins}`;
    await this.#logins.share(open.key, login, async () => {
      // It has a lease of its own: an extension that finds the session expired holds the lease of the session.
      await onceAmongInstances(this.store, `${open.key} ${login}`, () => this.#logInAgain(open, expired));
    });
    if (!isAfter(open.service, expired)) await this.sealed.refresh(open);
  }

  async #logInAgain(open: OpenSession, expired: ServiceLogin): Promise<void> {
    await this.sealed.refresh(open);
    if (isAfter(open.service, expired)) return;
    const session = this.client.openSession();
    const event = { kind: 'relogin', storeKey: open.key, profile: expired.profile } as const;
    const at = this.store.now();
    try {
      await this.relogin.logIn(session, expired.profile);
    } catch (error) {
      this.observation.tell('sessionEvent', { ...event, error });
      // Otherwise each further request would try them again and lock the account.
      if (error instanceof LoginFailedError) await this.sealed.expire(open, open.stored.version, error);
      throw error;
    }
    this.observation.tell('sessionEvent', event);
    try {
      await this.#keep(open, session, expired);
      this.store.noteUse(open.key, at);
    } catch (error) {
      await this.platformLogout.end(session);
      throw error;
    }
  }

  /**
   * If a lease was lost, the first write wins. The other login is logged out again and takes the session of the
   * winner.
   */
  async #keep(open: OpenSession, session: PlatformSession, expired: ServiceLogin): Promise<void> {
    const service = { ...expired, logins: expired.logins + 1 };
    for (let writes = 0; writes < MOST_WRITES; writes += 1) {
      if (await this.sealed.replaceLogin(open, session, service)) return;
      await this.sealed.refresh(open);
      if (isAfter(open.service, expired)) {
        await this.platformLogout.end(session);
        return;
      }
    }
    throw storeUnavailable('the session changed during each attempt to write it');
  }

  /** A request that lacked a cookie may be rejected although the session lives on, perhaps for another instance. */
  async #expireIfProved(open: OpenSession, rejectedVersion: number, error: unknown): Promise<void> {
    if (isSessionExpired(error) && !provesExpiry(error)) return;
    if (!(await this.sealed.expire(open, rejectedVersion, error))) return;
    this.observation.tell('sessionEvent', { kind: 'expiry', storeKey: open.key, error });
  }
}

/** Whether an error says that the platform does not know a session. */
export function rejectsSession(error: unknown): boolean {
  return error instanceof SessionError || isSessionExpired(error);
}

function isAfter(login: ServiceLogin | undefined, expired: ServiceLogin): boolean {
  return login !== undefined && login.logins > expired.logins;
}
