import { pathBelow, resolveBelow } from './connection/base-url.js';
import { isAuthPath } from './connection/operations.js';
import { type PlatformResponse } from './connection/platform-response.js';
import { isSessionExpired, LoginFailedError, SessionError } from '../errors/error-classes.js';
import { PlatformSession } from './session/platform-session.js';
import { type LoginCredentials } from './session/login.js';
import { type CallOptions, type RequestMethod, type RequestOptions } from './session/request.js';
import { SessionCore } from './session/session-core.js';
import { type PlatformSessionOptions } from './connection/client-options.js';
import { keepAliveMs, startKeepAlive } from './keep-alive.js';
import { resolveLogin, type ManagedCredentials } from './managed-credentials.js';

/** Where a managed session logs in, with which credentials, and how it ends (spec: Context-managed session). */
export interface AuthenticatedSessionOptions extends ManagedCredentials, PlatformSessionOptions {
  /**
   * Whether closing this object logs out at the platform. Default true. The platform may tie a delegated session to
   * the one that its identity token came from, and then a logout ends both: set this to false to keep the other one
   * alive.
   */
  logoutOnExit?: boolean;
  /**
   * How often to extend the current session with `PUT sessions`, in seconds, also after a later login. Default:
   * never.
   */
  keepAliveSeconds?: number;
  /**
   * When the platform reports that the session has expired (`isSessionExpired`), logs in again with freshly resolved
   * credentials and repeats the request, once per request. Never for `auth/…`, for a request without the token, or
   * for a session that a later `login` or `delegate` started. Requests that find the session expired at the same time
   * share one login. Default false.
   */
  relogin?: boolean;
  /** Called when the logout on exit failed; the default is a process warning. Whatever it throws is ignored. */
  onLogoutFailure?: (error: unknown) => unknown;
}

/**
 * A session that is logged in when it is opened, and logged out when it is closed or disposed of. Closing never
 * rejects, so an error in your own code is never masked.
 */
export class AuthenticatedPlatformSession extends PlatformSession {
  readonly #core: SessionCore;
  readonly #options: AuthenticatedSessionOptions;
  readonly #keepAliveMs: number | undefined;
  #stopKeepAlive: () => void = () => undefined;
  #isClosing = false;
  #canRelogin: boolean;
  #relogin: Promise<void> | undefined;
  /**
   * The generation of the user that `open` logged in. A different one means that someone else took over or the
   * session ended.
   */
  #managedGeneration: number | undefined;

  private constructor(core: SessionCore, options: AuthenticatedSessionOptions) {
    super(core);
    const keepAliveSeconds = options.keepAliveSeconds ?? undefined;
    this.#core = core;
    this.#options = options;
    this.#canRelogin = options.relogin ?? false;
    this.#keepAliveMs = keepAliveSeconds === undefined ? undefined : keepAliveMs(keepAliveSeconds);
  }

  /**
   * Resolves the credentials, no earlier than this call, and logs in: by identity token, otherwise API key, otherwise
   * user name and password, otherwise anonymously.
   * @throws MissingCredentialError when a given credential resolves to nothing; no request was made
   * @throws PlatformError when the login fails
   */
  static async open(options: AuthenticatedSessionOptions): Promise<AuthenticatedPlatformSession> {
    const { baseUrl, request } = await resolveLogin(options);
    const core = SessionCore.connect(baseUrl, sessionOptions(options));
    const session = new AuthenticatedPlatformSession(core, options);
    try {
      await core.logIn(request(core.settings.applicationType));
      session.#startKeepAlive();
      session.#managedGeneration = core.state.userGeneration;
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  /**
   * Like `PlatformSession.request`; with `relogin`, an expired session is logged in again and the request repeated,
   * once.
   */
  override async request(
    method: RequestMethod,
    path: string,
    options: RequestOptions = {},
  ): Promise<PlatformResponse> {
    const { state } = this.#core;
    const { sessionGeneration, userGeneration } = state;
    try {
      return await super.request(method, path, options);
    } catch (error) {
      if (userGeneration !== state.userGeneration || !this.#justifiesRelogin(error, path, options))
        throw error;
      if (sessionGeneration === state.sessionGeneration) await this.#logInAgain();
      if (userGeneration !== state.userGeneration) throw error;
      return super.request(method, path, options);
    }
  }

  override async login(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    await super.login(credentials, call);
    this.#startKeepAlive();
  }

  override async delegate(identityToken: string, call: CallOptions = {}): Promise<void> {
    await super.delegate(identityToken, call);
    this.#startKeepAlive();
  }

  /** Logs out, unless `logoutOnExit` is false, and closes the sockets. Never rejects. */
  override async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopKeepAlive();
    this.#canRelogin = false;
    await this.#relogin?.catch(() => undefined);
    if (this.#options.logoutOnExit !== false && this.hasSession()) {
      await this.logout().catch(async (error: unknown) => {
        if (!isSessionExpired(error)) await this.#reportLogoutFailure(error);
      });
    }
    this.destroyAuthToken();
    await super.close();
  }

  #justifiesRelogin(error: unknown, path: string, options: RequestOptions): boolean {
    if (!this.#canRelogin || !isSessionExpired(error) || options.includeAuth === false) return false;
    const base = this.#core.baseUrl;
    const isManaged = this.hasSession() && this.#core.state.userGeneration === this.#managedGeneration;
    return isManaged && !isAuthPath(pathBelow(base, resolveBelow(base, path)));
  }

  #logInAgain(): Promise<void> {
    return (this.#relogin ??= this.#authenticateAgain().finally(() => (this.#relogin = undefined)));
  }

  async #authenticateAgain(): Promise<void> {
    const { request } = await resolveLogin(this.#options);
    if (this.#core.state.userGeneration !== this.#managedGeneration) {
      throw new SessionError('The session was ended during its new login.', {}, 'session-replaced');
    }
    try {
      await this.#core.logIn(request(this.#core.settings.applicationType), {}, true);
      this.#startKeepAlive();
    } catch (error) {
      // Repeating rejected credentials would lock the account.
      if (error instanceof LoginFailedError) this.#canRelogin = false;
      throw error;
    }
  }

  #startKeepAlive(): void {
    this.#stopKeepAlive();
    if (this.#isClosing || this.#keepAliveMs === undefined) return;
    this.#stopKeepAlive = startKeepAlive(this.#keepAliveMs, async () => {
      await this.putSessions().catch((error: unknown) => {
        if (error instanceof SessionError || isSessionExpired(error)) this.#stopKeepAlive();
      });
    });
  }

  async #reportLogoutFailure(error: unknown): Promise<void> {
    const report = this.#options.onLogoutFailure ?? warn;
    try {
      await report(error);
    } catch {
      // A failing callback must not keep the sockets open or mask the error of the work.
    }
  }
}

/**
 * Opens a session, runs the work with it, and closes it, even if the work throws.
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
  mode: true,
  logoutOnExit: true,
  keepAliveSeconds: true,
  relogin: true,
  onLogoutFailure: true,
};

/** All other options. They are for the connection, which rejects unknown ones. */
function sessionOptions(options: AuthenticatedSessionOptions): PlatformSessionOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(OWN_OPTIONS, name)));
}

function warn(error: unknown): void {
  const why = error instanceof Error ? error.message : 'unknown';
  process.emitWarning(`The logout at the end of a session failed: ${why}`, { code: 'PORTICO_LOGOUT_FAILED' });
}
