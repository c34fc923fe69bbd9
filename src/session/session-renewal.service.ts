import { Inject, Injectable, Logger } from '@nestjs/common';
import { isSessionExpired, LoginFailedError, PlatformClient, type PlatformSession } from '../client/index.js';
import { InFlight } from './in-flight.js';
import { onceAmongInstances } from './store/once-among-instances.js';
import { type OpenSession } from './open-session.js';
import { logOutAtPlatform } from './platform-logout.js';
import { Relogin } from './relogin.js';
import { SealedSessions } from './sealed-sessions.service.js';
import { type ServiceLogin } from './session-record.js';
import { SessionStoreUnavailableError } from '../errors/session-store-unavailable-error.js';
import { SessionStore } from './store/session-store.js';

/** A write is lost only to one that was under way when the platform session had expired: there are few of them. */
const MOST_WRITES = 5;

/** Renews service sessions: when the platform no longer knows one, it logs itself in again. */
@Injectable()
export class SessionRenewal {
  private readonly logger = new Logger(SessionRenewal.name);
  private readonly logins = new InFlight();

  constructor(
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly sealed: SealedSessions,
    private readonly client: PlatformClient,
    @Inject(Relogin) private readonly relogin: Relogin,
  ) {}

  /**
   * Runs work, and once more after a new login where the platform says `ERR009` to a service session. All who find
   * one session expired, here and in other instances, share the login. A user's own session is never logged in again.
   *
   * @throws LoginFailedError when the new login is refused: then the session has ended.
   */
  async run<T>(open: OpenSession, work: () => Promise<T>): Promise<T> {
    const { service } = open;
    try {
      return await work();
    } catch (error) {
      if (service === undefined || !isSessionExpired(error)) throw error;
      // Another field of the same request may have renewed it meanwhile.
      if (!isAfter(open.service, service)) await adopt(open, await this.renewed(open, service));
      return work();
    }
  }

  /** The session with a newer login than the one that has expired. */
  private renewed(open: OpenSession, expired: ServiceLogin): Promise<OpenSession> {
    const login = `login ${expired.logins}`;
    return this.logins.share(open.key, login, async () => {
      let renewed: OpenSession | undefined;
      // A lease of its own: a prolongation that finds the session expired holds the session's.
      await onceAmongInstances(this.store, `${open.key} ${login}`, async () => {
        renewed = await this.logInAgain(open, expired);
      });
      return renewed ?? this.sealed.load(open);
    });
  }

  private async logInAgain(open: OpenSession, expired: ServiceLogin): Promise<OpenSession> {
    const current = await this.sealed.load(open);
    if (isAfter(current.service, expired)) return current;
    const session = this.client.openSession();
    try {
      await this.relogin.logIn(session, expired.profile);
    } catch (error) {
      // Otherwise each further request would try them again, and lock the account.
      if (error instanceof LoginFailedError) await this.store.remove(current.key, current.version);
      throw error;
    }
    try {
      return await this.keep(current, session, expired);
    } catch (error) {
      await logOutAtPlatform(session, this.logger);
      throw error;
    }
  }

  /** Where a lease was lost, whoever writes first has won: the other leaves the platform and takes the winner's session. */
  private async keep(
    found: OpenSession,
    session: PlatformSession,
    expired: ServiceLogin,
  ): Promise<OpenSession> {
    const service = { ...expired, logins: expired.logins + 1 };
    let current = found;
    for (let writes = 0; writes < MOST_WRITES; writes += 1) {
      const renewed = await this.sealed.replaceLogin(current, session, service);
      if (renewed !== undefined) return renewed;
      current = await this.sealed.load(current);
      if (isAfter(current.service, expired)) {
        await logOutAtPlatform(session, this.logger);
        return current;
      }
    }
    throw new SessionStoreUnavailableError('a session changed at each try to write it');
  }
}

/** Lets the request go on with the new platform session, once its own writes to the old one are done. */
function adopt(open: OpenSession, renewed: OpenSession): Promise<void> {
  const adopted = open.writing
    .catch(() => undefined)
    .then(() => {
      if (open.service !== undefined && !isAfter(renewed.service, open.service)) return;
      open.session.updateFromJson(renewed.session.toDict());
      open.service = renewed.service;
      open.version = renewed.version;
      open.saved = open.session.json();
    });
  open.writing = adopted;
  return adopted;
}

function isAfter(login: ServiceLogin | undefined, expired: ServiceLogin): boolean {
  return login !== undefined && login.logins > expired.logins;
}
