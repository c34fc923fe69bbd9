import { isAuthPath, pathBelow, resolveBelow } from '../connection/base-url.js';
import { codeNumber, SESSION_INVALID } from '../errors/error-codes.js';
import { keepAliveMs, startKeepAlive } from './keep-alive.js';
import { resolveCredentials, type ManagedCredentials } from './managed-credentials.js';
import { LoginFailedError, SessionError } from '../errors/error-classes.js';
import { type PlatformResponse } from '../connection/response/platform-response.js';
import { PlatformSession } from '../session/platform-session.js';
import { type PlatformSessionOptions } from '../session/session-options.js';
import { type RequestMethod, type RequestOptions } from '../session/request-options.js';

/** Where a managed session logs in, with what, and how it ends (spec: Context-managed session). */
export interface AuthenticatedSessionOptions extends ManagedCredentials, PlatformSessionOptions {
  /**
   * Whether the platform session ends with this object. Default true. The platform may join a delegated session to the
   * one that its identity token came from, and then ends both: say false to leave that one alone.
   */
  logoutOnExit?: boolean;
  /** Prolongs the session that is held, also one of a later login, every so many seconds by `PUT sessions`. Default: never. */
  keepAliveSeconds?: number;
  /**
   * Logs in again, once a request, when the platform says that the session is invalid, with all credentials resolved anew,
   * and repeats the request. Never for `auth/…` or a request without the token, nor for a session that a later `login` or `delegate` began. Requests that
   * find it invalid together share one login. Default false.
   */
  relogin?: boolean;
  /** Told of a logout on exit that failed; by default a process warning tells of it. What it throws is ignored. */
  onLogoutFailure?: (error: unknown) => unknown;
}

/**
 * A session that is logged in when it is opened and logged out when it is closed or disposed of. Closing never rejects,
 * so that an error in the work between is never masked.
 */
export class AuthenticatedPlatformSession extends PlatformSession {
  readonly #options: AuthenticatedSessionOptions;
  readonly #keepAliveMs: number | undefined;
  #stopKeepAlive: () => void = () => undefined;
  #isClosing = false;
  #mayLogInAgain: boolean;
  #newLogin: Promise<void> | undefined;
  #user: number | undefined;

  private constructor(baseUrl: string, options: AuthenticatedSessionOptions) {
    super(baseUrl, sessionOptions(options));
    const { relogin } = options;
    const keepAliveSeconds = options.keepAliveSeconds ?? undefined;
    this.#options = options;
    this.#keepAliveMs = keepAliveSeconds === undefined ? undefined : keepAliveMs(keepAliveSeconds);
    this.#mayLogInAgain = relogin ?? false;
  }

  /**
   * Resolves the credentials, not before this call, and logs in: by identity token, else API key, else user name and
   * password, else anonymously.
   * @throws MissingCredentialError when a credential that is given resolves to nothing; no request was made
   * @throws PlatformError when the login fails
   */
  static async open(options: AuthenticatedSessionOptions): Promise<AuthenticatedPlatformSession> {
    const { baseUrl, login } = await resolveCredentials(options);
    const session = new AuthenticatedPlatformSession(baseUrl, options);
    try {
      await session.authenticate(login);
      session.#user = session.user;
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  /** As `PlatformSession.request`, with one new login and one repetition when `relogin` is on. */
  override async request(
    method: RequestMethod,
    path: string,
    options: RequestOptions = {},
  ): Promise<PlatformResponse> {
    const { era, user } = this;
    try {
      return await super.request(method, path, options);
    } catch (error) {
      if (user !== this.user || !this.#isWorthALogin(error, path, options)) throw error;
      if (era === this.era) await this.#logInAgain();
      if (user !== this.user) throw error;
      return super.request(method, path, options);
    }
  }

  /** Logs out, unless `logoutOnExit` is false, and closes the sockets. Never rejects. */
  override async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopKeepAlive();
    this.#mayLogInAgain = false;
    await this.#newLogin?.catch(() => undefined);
    if (this.#options.logoutOnExit !== false && this.hasSession()) {
      await this.logout().catch(async (error: unknown) => {
        if (!isExpired(error)) await this.#reportLogoutFailure(error);
      });
    }
    this.destroyAuthToken();
    await super.close();
  }

  /** Each session that begins is prolonged, also after the one before it ended. */
  protected override async authenticate(
    ...login: Parameters<PlatformSession['authenticate']>
  ): Promise<void> {
    await super.authenticate(...login);
    this.#keepAlive();
  }

  #isWorthALogin(error: unknown, path: string, options: RequestOptions): boolean {
    if (!this.#mayLogInAgain || !isExpired(error) || options.includeAuth === false) return false;
    const base = new URL(this.baseUrl);
    const isManaged = this.hasSession() && this.user === this.#user;
    return isManaged && !isAuthPath(pathBelow(base, resolveBelow(base, path)));
  }

  #logInAgain(): Promise<void> {
    return (this.#newLogin ??= this.#authenticateAnew().finally(() => (this.#newLogin = undefined)));
  }

  async #authenticateAnew(): Promise<void> {
    const { login } = await resolveCredentials(this.#options);
    if (this.user !== this.#user) throw new SessionError('The session was ended while it logged in again.');
    try {
      await this.authenticate(login, {}, true);
    } catch (error) {
      // Repeating refused credentials would lock the account.
      if (error instanceof LoginFailedError) this.#mayLogInAgain = false;
      throw error;
    }
  }

  #keepAlive(): void {
    this.#stopKeepAlive();
    if (this.#keepAliveMs === undefined || this.#isClosing) return;
    this.#stopKeepAlive = startKeepAlive(this.#keepAliveMs, async () => {
      await this.putSessions().catch((error: unknown) => {
        if (error instanceof SessionError) this.#stopKeepAlive();
      });
    });
  }

  async #reportLogoutFailure(error: unknown): Promise<void> {
    const report = this.#options.onLogoutFailure ?? warn;
    try {
      await report(error);
    } catch {
      // Whoever is told must not keep the sockets open, nor mask the error of the work.
    }
  }
}

/**
 * Opens a session, does the work with it, and closes it, also when the work throws.
 * @returns what the work returns
 */
export async function withPlatformSession<T>(
  options: AuthenticatedSessionOptions,
  work: (session: AuthenticatedPlatformSession) => T | Promise<T>,
): Promise<T> {
  const session = await AuthenticatedPlatformSession.open(options);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

const OWN_OPTIONS: Record<Exclude<keyof AuthenticatedSessionOptions, keyof PlatformSessionOptions>, true> = {
  baseUrl: true,
  username: true,
  password: true,
  identityToken: true,
  apiKey: true,
  logoutOnExit: true,
  keepAliveSeconds: true,
  relogin: true,
  onLogoutFailure: true,
};

/** What is left for the connection, among it whatever is no option at all. */
function sessionOptions(options: AuthenticatedSessionOptions): PlatformSessionOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(OWN_OPTIONS, name)));
}

function isExpired(error: unknown): boolean {
  return error instanceof SessionError && codeNumber(error.code) === SESSION_INVALID;
}

function warn(error: unknown): void {
  const why = error instanceof Error ? error.message : 'unknown';
  process.emitWarning(`The logout at the end of a session failed: ${why}`, { code: 'PORTICO_LOGOUT_FAILED' });
}
