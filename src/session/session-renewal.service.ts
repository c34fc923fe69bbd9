import { Inject, Injectable, Logger } from '@nestjs/common';
import { LoginFailedError, PlatformClient, type PlatformSession } from 'portico/client';
import { Observation } from '../logging/observation.js';
import { InFlight } from './store/in-flight.js';
import { onceAmongInstances } from './store/once-among-instances.js';
import { type OpenSession } from './open-session.js';
import { logOutAtPlatform } from './platform-logout.js';
import { Relogin } from './relogin.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { type ServiceLogin } from './session-record.js';
import { SessionStore } from './store/session-store.js';
import { storeUnavailable } from '../errors/service-error.js';

/** A write fails only because of another one that was in flight when the platform session expired. There are few of those. */
const MOST_WRITES = 5;

/** Renews service sessions: when the platform no longer knows one, it is logged in again. */
@Injectable()
export class SessionRenewal {
  readonly #logger = new Logger(SessionRenewal.name);
  readonly #logins = new InFlight();

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly sealed: SealedSessions,
    private readonly client: PlatformClient,
    @Inject(Relogin) private readonly relogin: Relogin,
    private readonly observation: Observation,
  ) {}

  /**
   * Logs in a service session again, unless there is already a newer login than the expired one. All requests that find the
   * session expired, here and in other instances, share the login.
   *
   * @throws LoginFailedError when the new login is refused; the session has ended then.
   * @throws SessionError when the session has been logged out.
   */
  async renew(open: OpenSession, expired: ServiceLogin): Promise<void> {
    if (isAfter(open.service, expired)) return;
    const login = `login ${expired.logins}`;
    await this.#logins.share(open.key, login, async () => {
      // It has a lease of its own, because an extension that finds the session expired holds the lease of the session.
      await onceAmongInstances(this.store, `${open.key} ${login}`, () => this.#logInAgain(open, expired));
    });
    if (!isAfter(open.service, expired)) await this.sealed.refresh(open);
  }

  async #logInAgain(open: OpenSession, expired: ServiceLogin): Promise<void> {
    await this.sealed.refresh(open);
    if (isAfter(open.service, expired)) return;
    const session = this.client.openSession();
    const event = { kind: 'relogin', storeKey: open.key, profile: expired.profile } as const;
    const at = Date.now();
    try {
      await this.relogin.logIn(session, expired.profile);
    } catch (error) {
      this.observation.sessionEvent({ ...event, error });
      // Otherwise each further request would try them again and lock the account.
      if (error instanceof LoginFailedError) await this.sealed.forget(open, open.stored.version);
      throw error;
    }
    this.observation.sessionEvent(event);
    try {
      await this.#keep(open, session, expired);
      this.store.noteUse(open.key, at);
    } catch (error) {
      await logOutAtPlatform(session, this.#logger);
      throw error;
    }
  }

  /** If a lease was lost, the first write wins. The other login is logged out again and takes the session of the winner. */
  async #keep(open: OpenSession, session: PlatformSession, expired: ServiceLogin): Promise<void> {
    const service = { ...expired, logins: expired.logins + 1 };
    for (let writes = 0; writes < MOST_WRITES; writes += 1) {
      if (await this.sealed.replaceLogin(open, session, service)) return;
      await this.sealed.refresh(open);
      if (isAfter(open.service, expired)) {
        await logOutAtPlatform(session, this.#logger);
        return;
      }
    }
    throw storeUnavailable('the session changed during each attempt to write it');
  }
}

function isAfter(login: ServiceLogin | undefined, expired: ServiceLogin): boolean {
  return login !== undefined && login.logins > expired.logins;
}
