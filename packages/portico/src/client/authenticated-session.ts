import { isAuthPath, pathBelow } from './connection/paths.js';
import { LoginFailedError, MissingCredentialError, SessionError } from '../errors/error-classes.js';
import { isPlatformError, isSessionExpired } from '../errors/error-guards.js';
import { HeldSession } from './session/held-session.js';
import { PlatformSession } from './session/platform-session.js';
import { type LoginCredentials } from './session/login.js';
import { type CallOptions, type SessionRequest } from './session/request.js';
import { SessionCore } from './session/session-core.js';
import { CLIENT_OPTIONS, requireKnownOptions } from './connection/client-options.js';
import { type PlatformSessionOptions } from './connection/client-options.js';
import { keepAliveMs, startKeepAlive } from './keep-alive.js';
import { resolveBaseUrl, resolveLogin } from './managed-credentials.js';
import { type LoginProviders, type ManagedCredentials } from './managed-credentials.js';
import { type RestorableSnapshot } from './session/session-snapshot.js';

/**
 * Who logs in to a managed session, how it is kept alive, and how it ends (spec: Context-managed session).
 * @example
 * const options: ManagedSessionOptions = { snapshot: session.json(), logoutOnExit: false };
 * await using continued = await client.openManagedSession(options);
 */
export interface ManagedSessionOptions extends LoginProviders {
  /**
   * A session to continue, such as one that another process has stored. There is a login only if it holds no token,
   * and the credentials are asked for only then and for a new login.
   */
  snapshot?: RestorableSnapshot | string | undefined;
  /**
   * Whether closing this object logs out at the platform. Default true. The platform may tie a delegated session to
   * the one that its identity token came from, and then a logout ends both: set this to false to keep the other one
   * alive.
   */
  logoutOnExit?: boolean;
  /** Seconds between two extensions with `PUT sessions`, also after a later login. Default: never. */
  keepAliveSeconds?: number;
  /**
   * When the platform reports that the session has expired (`isSessionExpired`), logs in again with freshly resolved
   * credentials and repeats the request, once per request. Never for `auth/…`, for a request without the token, or
   * for a session that a later `login` or `delegate` started. Requests that find the session expired at the same time
   * share one login. Default false.
   */
  relogin?: boolean;
  /** Called when the logout on exit failed; the default is a process warning. What it throws is ignored. */
  onLogoutFailure?: (error: unknown) => unknown;
}

/**
 * A managed session with a connection of its own.
 * @example
 * const options: AuthenticatedSessionOptions = { baseUrl, apiKey: 'demo-api-key', relogin: true };
 * await withPlatformSession(options, (session) => session.getProjects());
 */
export interface AuthenticatedSessionOptions
  extends ManagedSessionOptions, ManagedCredentials, PlatformSessionOptions {
  /** Only on a shared connection. */
  client?: undefined;
}

/**
 * A managed session on the connection of a client.
 * @example
 * const options: SharedSessionOptions = { client, apiKey: 'demo-api-key' };
 * await using session = await AuthenticatedPlatformSession.open(options);
 */
export interface SharedSessionOptions extends ManagedSessionOptions {
  /** Whose connection the session uses. Closing the session does not close it. */
  client: SessionOpener;
}

/**
 * A `PlatformClient`.
 * @example
 * const open = (client: SessionOpener) => AuthenticatedPlatformSession.open({ client });
 */
export interface SessionOpener {
  /** REST root, with its final `/`. */
  readonly baseUrl: string;
  /** A new session without a token. */
  openSession(): PlatformSession;
}

/**
 * A session that is logged in when it is opened, with `relogin` also when a call finds that it has expired, and
 * logged out when it is closed or disposed of. Closing never rejects, so an error in your own code is never masked.
 * @example
 * await using session = await AuthenticatedPlatformSession.open({ baseUrl, username: 'demo', password: 'demo' });
 * console.log((await session.getUserInfo()).fullName); // Dana Demo
 */
export class AuthenticatedPlatformSession extends PlatformSession {
  readonly #core: SessionCore;
  readonly #options: ManagedSessionOptions;
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

  private constructor(core: SessionCore, options: ManagedSessionOptions) {
    super(core);
    this.#core = core;
    const keepAliveSeconds = options.keepAliveSeconds ?? undefined;
    this.#options = options;
    this.#canRelogin = options.relogin ?? false;
    this.#keepAliveMs = keepAliveSeconds === undefined ? undefined : keepAliveMs(keepAliveSeconds);
  }

  /**
   * Resolves the credentials, no earlier than this call, and logs in: by identity token, otherwise API key, otherwise
   * user name and password, otherwise anonymously. With a `snapshot` that holds a token, no request is made.
   * @param options who logs in and where: at a `baseUrl`, or on the connection of a `client`
   * @throws MissingCredentialError when a given credential resolves to nothing; no request was made
   * @throws SessionError when the snapshot cannot be restored
   * @throws TypeError that names an unusable option
   * @throws PlatformError when the login fails
   */
  static async open(
    options: AuthenticatedSessionOptions | SharedSessionOptions,
  ): Promise<AuthenticatedPlatformSession> {
    const { client, snapshot } = options;
    const others = connectionOptions(options);
    const baseUrl = client === undefined ? await resolveBaseUrl(options) : undefined;
    const login = snapshot === undefined ? await resolveLogin(options) : undefined;
    const core = baseUrl === undefined ? coreOf(client, others) : SessionCore.connect(baseUrl, others);
    const session = new AuthenticatedPlatformSession(core, options);
    try {
      if (snapshot !== undefined) core.restore(snapshot, {});
      if (core.state.token === undefined) {
        const request = login ?? (await resolveLogin(options));
        await core.logIn(request(core.settings.applicationType));
      }
      session.#startKeepAlive();
      session.#managedGeneration = core.state.userGeneration;
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  /** @internal With `relogin`, an expired session is logged in again and the request repeated, once. */
  override async inSession<R>(request: SessionRequest, send: () => Promise<R>): Promise<R> {
    const { state } = this.#core;
    const { sessionGeneration, userGeneration } = state;
    try {
      return await send();
    } catch (error) {
      if (!this.#justifiesRelogin(error, request)) throw error;
      if (sessionGeneration === state.sessionGeneration) await this.#logInAgain();
      if (userGeneration !== state.userGeneration) throw error;
      return send();
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

  #justifiesRelogin(error: unknown, { includeAuth, line }: SessionRequest): boolean {
    if (!this.#canRelogin || !isSessionExpired(error) || !includeAuth) return false;
    const isManaged = this.hasSession() && this.#core.state.userGeneration === this.#managedGeneration;
    const mayRepeat =
      line.body?.isRepeatable !== false && !isAuthPath(pathBelow(this.#core.baseUrl, line.url));
    return isManaged && mayRepeat;
  }

  #logInAgain(): Promise<void> {
    return (this.#relogin ??= this.#authenticateAgain().finally(() => (this.#relogin = undefined)));
  }

  async #authenticateAgain(): Promise<void> {
    const request = await resolveLogin(this.#options).catch(unusableProvider);
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
 * @param options who logs in, and where
 * @param work what is done while the session is open
 * @returns what the work returns
 * @throws what `AuthenticatedPlatformSession.open` or the work throws
 * @example
 * const user = await withPlatformSession({ baseUrl, apiKey: 'demo-api-key' }, (session) => session.getUserInfo());
 * console.log(user.fullName); // Dana Demo
 */
export async function withPlatformSession<T>(
  options: AuthenticatedSessionOptions | SharedSessionOptions,
  work: (session: AuthenticatedPlatformSession) => T | Promise<T>,
): Promise<T> {
  const session = await AuthenticatedPlatformSession.open(options);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** The type makes this list complete. */
const OWN_OPTIONS: Record<keyof ManagedSessionOptions | 'baseUrl' | 'client', true> = {
  baseUrl: true,
  client: true,
  snapshot: true,
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

/**
 * What is for the connection.
 * @throws TypeError when an option is unknown: a misspelled one would be ignored
 */
function connectionOptions(options: object): PlatformSessionOptions {
  requireKnownOptions(options, Object.keys({ ...OWN_OPTIONS, ...CLIENT_OPTIONS }));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !Object.hasOwn(OWN_OPTIONS, name)));
}

/** @throws TypeError when there are options for a connection, which the client has already */
function coreOf(client: SessionOpener | undefined, others: PlatformSessionOptions): SessionCore {
  const [first] = Object.entries<unknown>(others).find(([, value]) => value !== undefined) ?? [];
  if (first !== undefined) throw new TypeError(`${first}: set it on the client.`);
  const session: unknown = client?.openSession();
  if (session instanceof HeldSession) return HeldSession.coreOf(session);
  throw new TypeError('client must be a PlatformClient.');
}

/** During a call of the session, whose errors are all of one kind; its cause is the caller's own. */
function unusableProvider(cause: unknown): never {
  if (isPlatformError(cause)) throw cause;
  const retryable = (cause as { retryable?: unknown } | undefined)?.retryable === true;
  const message = 'The session has expired, and a credential for the new login could not be loaded.';
  throw new MissingCredentialError(message, { cause, retryable });
}

function warn(error: unknown): void {
  const why = error instanceof Error ? error.message : 'unknown';
  process.emitWarning(`The logout at the end of a session failed: ${why}`, { code: 'PORTICO_LOGOUT_FAILED' });
}
