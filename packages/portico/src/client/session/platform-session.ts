import { type PlatformResponse } from '../connection/platform-response.js';
import {
  delegateRequest,
  identityTokenOf,
  loginRequest,
  readCredentials,
  requireLoggedOut,
  type LoginCredentials,
} from './login.js';
import {
  readProjects,
  readSessionInfo,
  readUser,
  type PlatformProject,
  type PlatformSessionInfo,
  type PlatformUser,
} from './payload-shapes.js';
import {
  requireCallOptions,
  type CallOptions,
  type RequestMethod,
  type RequestOptions,
  type SessionRequest,
} from './request.js';
import { sessionFetch, type SessionFetch } from './session-fetch.js';
import { SessionCore } from './session-core.js';
import { type PlatformSessionOptions } from '../connection/client-options.js';
import { HeldSession } from './held-session.js';
import { snapshotBaseUrl } from './session-restore.js';
import { readSnapshot, type RestorableSnapshot } from './session-snapshot.js';

/**
 * One user's session (spec: Client session operations). Safe for concurrent calls. Every operation rejects only with
 * a `PlatformError`. Those that need a token reject with `SessionError` before any request when none is held.
 * @example
 * await using session = new PlatformSession(baseUrl);
 * await session.login({ apiKey: 'demo-api-key' });
 * const { fullName } = await session.getUserInfo();
 * console.log(fullName); // Dana Demo
 */
export class PlatformSession extends HeldSession {
  /**
   * The standard `fetch`, bound, for paths below the base URL, by the rules of the session: its token and
   * cookies go with each request, and what the answer changes is kept.
   * @throws SessionError if there is no token, before any request, and when the platform says that it has expired
   * @throws InvalidRequestError when a part of the request cannot be sent, before anything is
   * @throws PlatformError when there is no response; the reason of the signal when that aborts
   */
  readonly fetch: SessionFetch;
  readonly #core: SessionCore;

  /**
   * A session with its own connection.
   * @param baseUrl the REST root, with or without its final `/`
   * @param options for the connection
   * @throws TypeError that names the unusable option
   */
  constructor(baseUrl: string | URL, options?: PlatformSessionOptions);
  /** @internal A session on a core that exists, such as one whose connection a `PlatformClient` shares. */
  constructor(core: SessionCore);
  constructor(place: string | URL | SessionCore, options: PlatformSessionOptions = {}) {
    const core = place instanceof SessionCore ? place : SessionCore.connect(place, options);
    super(core);
    this.#core = core;
    this.fetch = (input, init) =>
      sessionFetch(this.#core, input, init, (request, send) => this.inSession(request, send));
  }

  /**
   * A new session with its own connection and with the state and base URL of a snapshot (spec: from_dict).
   * @param snapshot what `toDict` or `json` returned
   * @param options for the connection
   * @throws SessionError when the snapshot lacks a key or cannot be restored
   */
  static fromDict(
    snapshot: RestorableSnapshot | string,
    options: PlatformSessionOptions = {},
  ): PlatformSession {
    const read = readSnapshot(snapshot);
    const session = new PlatformSession(snapshotBaseUrl(read.base_url).href, options);
    session.updateFromJson(read);
    return session;
  }

  /**
   * Sends one request below the base URL (spec: request). A successful response updates the vendor headers and
   * cookies.
   * @param method HTTP method
   * @param path below the base URL, with or without a leading `/`
   * @param options what is sent, and what counts as a success
   * @throws SessionError if there is no token, before any request, unless `includeAuth` is false
   * @throws PlatformError for any status other than 2xx, and for a 2xx that holds an error payload; its class follows
   * from the code of the response
   */
  async request(
    method: RequestMethod,
    path: string,
    options: RequestOptions = {},
  ): Promise<PlatformResponse> {
    const request = this.#core.readRequest(method, path, options);
    return this.inSession(request, () => this.#core.send(request));
  }

  /**
   * `POST auth/login` (spec: Endpoints): user name and password use mode 1, otherwise an API key 4096, otherwise a
   * user name alone 4096, otherwise anonymous 8. A password without a user name is rejected, unless an API key is
   * given. A failed login leaves the session unchanged. If the session is ended, restored or closed during the login,
   * the new session is logged out again.
   * @param credentials who logs in; nothing is an anonymous login
   * @param call signal, limits and party of this call
   * @throws InvalidRequestError when the credentials are unusable, before any request
   * @throws SessionError when the session was ended, restored or closed during the login
   * @throws LoginFailedError when the platform rejects the credentials
   * @throws PlatformHttpError when the response is not 204 with exactly one token
   */
  async login(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    const usable = readCredentials(credentials);
    await this.#core.logIn(loginRequest(usable, this.#core.settings.applicationType), call);
  }

  /**
   * Alias of `login` (spec: post_login).
   * @param credentials see `login`
   * @param call signal, limits and party of this call
   * @throws PlatformError as `login` does
   */
  postLogin(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    return this.login(credentials, call);
  }

  /**
   * `POST auth/delegate` with an identity token (spec: Delegate request body).
   * @param identityToken created by another session
   * @param call signal, limits and party of this call
   * @throws MissingCredentialError when the token is empty or not a string, before any request
   * @throws InvalidRequestError when the token is malformed, before any request
   * @throws LoginFailedError when the platform rejects it
   */
  async delegate(identityToken: string, call: CallOptions = {}): Promise<void> {
    await this.#core.logIn(delegateRequest(identityToken), call);
  }

  /**
   * `POST auth/identityToken`: a token with which another client can join this session with `delegate`. It is a
   * secret, and is kept nowhere.
   * @param call signal, limits and party of this call
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response does not have exactly one well-formed identity token
   */
  async createIdentityToken(call: CallOptions = {}): Promise<string> {
    const response = await this.#call('POST', 'auth/identityToken', call);
    return identityTokenOf(response, this.#core.settings.vendorHeaders);
  }

  /**
   * `POST auth/logout` (spec: Endpoints). The token is dropped only on 204, and not when it came from a newer login.
   * @param call signal, limits and party of this call
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not 204: the session may still exist, so the token is kept
   */
  async logout(call: CallOptions = {}): Promise<void> {
    const { state } = this.#core;
    const { sessionGeneration } = state;
    requireLoggedOut(await this.#call('POST', 'auth/logout', call));
    if (sessionGeneration === state.sessionGeneration) this.destroyAuthToken();
  }

  /**
   * Alias of `logout` (spec: post_logout).
   * @param call signal, limits and party of this call
   * @throws PlatformError as `logout` does
   */
  postLogout(call: CallOptions = {}): Promise<void> {
    return this.logout(call);
  }

  /**
   * `PUT sessions` (spec: Endpoints): extends the session. The specification defines no body for the response.
   * @param call signal, limits and party of this call
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   */
  putSessions(call: CallOptions = {}): Promise<PlatformResponse> {
    return this.#call('PUT', 'sessions', call);
  }

  /**
   * Alias of `putSessions` (spec: extend_session).
   * @param call signal, limits and party of this call
   * @throws PlatformError as `putSessions` does
   */
  extendSession(call: CallOptions = {}): Promise<PlatformResponse> {
    return this.putSessions(call);
  }

  /**
   * `GET sessions` (spec: Session status): the status of the session.
   * @param call signal, limits and party of this call
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not a JSON object
   */
  async getSessions(call: CallOptions = {}): Promise<PlatformSessionInfo> {
    return readSessionInfo(await this.#call('GET', 'sessions', call));
  }

  /**
   * Alias of `getSessions` (spec: get_session_info).
   * @param call signal, limits and party of this call
   * @throws PlatformError as `getSessions` does
   */
  getSessionInfo(call: CallOptions = {}): Promise<PlatformSessionInfo> {
    return this.getSessions(call);
  }

  /**
   * `GET sessions/userInfo` (spec: User information): who is logged in.
   * @param call signal, limits and party of this call
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not a JSON object
   */
  async getSessionsUserInfo(call: CallOptions = {}): Promise<PlatformUser> {
    return readUser(await this.#call('GET', 'sessions/userInfo', call));
  }

  /**
   * Alias of `getSessionsUserInfo` (spec: get_userinfo).
   * @param call signal, limits and party of this call
   * @throws PlatformError as `getSessionsUserInfo` does
   */
  getUserInfo(call: CallOptions = {}): Promise<PlatformUser> {
    return this.getSessionsUserInfo(call);
  }

  /**
   * `GET projects` (spec: Project): the projects on the platform.
   * @param call signal, limits and party of this call
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not a list, has over 10,000 projects, or has none with id and
   * name; others are left out
   */
  async getProjects(call: CallOptions = {}): Promise<PlatformProject[]> {
    const response = await this.#call('GET', 'projects', call);
    try {
      return readProjects(response, this.#core.settings.listCache);
    } finally {
      response.release();
    }
  }

  /**
   * Fetches the projects for lookups by name and by id (spec: load_projects).
   * @param call signal, limits and party of this call
   * @throws SessionError as for `getProjects`, or when the session was ended or replaced during the call
   */
  async loadProjects(call: CallOptions = {}): Promise<void> {
    await HeldSession.projectsOf(this).load(() => this.getProjects(call));
  }

  /**
   * Sends a request; a session that can log in again does so and sends it once more.
   * @internal
   */
  inSession<R>(_request: SessionRequest, send: () => Promise<R>): Promise<R> {
    return send();
  }

  async #call(method: RequestMethod, path: string, call: CallOptions): Promise<PlatformResponse> {
    this.#core.state.requireToken();
    const request = this.#core.readRequest(method, path, call, requireCallOptions);
    return this.inSession(request, () => this.#core.send(request));
  }
}
