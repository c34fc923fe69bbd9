import { inspect } from 'node:util';
import { type PlatformResponse } from '../connection/platform-response.js';
import { PlatformHttpError } from '../../errors/error-classes.js';
import {
  delegateRequest,
  identityTokenOf,
  loginRequest,
  readCredentials,
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
import { LoadedProjects } from './projects.js';
import { type CallOptions, type RequestMethod, type RequestOptions } from './request.js';
import { SessionCore } from './session-core.js';
import { type PlatformSessionOptions } from '../connection/client-options.js';
import { type RestoreOptions, snapshotBaseUrl } from './session-restore.js';
import { readSnapshot, type RestorableSnapshot, type SessionSnapshot } from './session-snapshot.js';

/**
 * One user's session (spec: Client session operations). Safe for concurrent calls. Every operation rejects only with
 * a `PlatformError`. Those that need a token reject with `SessionError` before any request when none is held.
 */
export class PlatformSession {
  readonly #core: SessionCore;
  readonly #projects: LoadedProjects;

  /**
   * A session with its own connection.
   * @param baseUrl the REST root, with or without its final `/`
   * @throws TypeError that names the unusable option
   */
  constructor(baseUrl: string | URL, options?: PlatformSessionOptions);
  /** @internal A session on a core that exists, such as one whose connection a `PlatformClient` shares. */
  constructor(core: SessionCore);
  constructor(place: string | URL | SessionCore, options: PlatformSessionOptions = {}) {
    this.#core = place instanceof SessionCore ? place : SessionCore.connect(place, options);
    this.#projects = new LoadedProjects(this.#core.state);
  }

  /**
   * A new session with its own connection and with the state and base URL of a snapshot (spec: from_dict).
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

  /** REST root of the session, with its final `/`. */
  get baseUrl(): string {
    return this.#core.baseUrl.href;
  }

  /** How many cookies of the current session were rejected: foreign, malformed, over a limit, or never to be sent. */
  get droppedCookies(): number {
    return this.#core.state.cookies.dropped;
  }

  /**
   * Sends one request below the base URL (spec: request). A successful response updates the vendor headers and
   * cookies.
   * @param path below the base URL, with or without a leading `/`
   * @throws SessionError if there is no token, before any request, unless `includeAuth` is false
   * @throws PlatformError for any status other than 2xx, and for a 2xx that holds an error payload; its class follows
   * from the code of the response
   */
  async request(
    method: RequestMethod,
    path: string,
    options: RequestOptions = {},
  ): Promise<PlatformResponse> {
    return this.#core.send(method, path, options);
  }

  /**
   * `POST auth/login` (spec: Endpoints): user name and password use mode 1, otherwise an API key 4096, otherwise a
   * user name alone 4096, otherwise anonymous 8. A password without a user name is rejected, unless an API key is
   * given. A failed login leaves the session unchanged. If the session is ended, restored or closed during the login,
   * the new session is logged out again.
   * @throws InvalidRequestError when the credentials are unusable, before any request
   * @throws SessionError when the session was ended, restored or closed during the login
   * @throws LoginFailedError when the platform rejects the credentials
   * @throws PlatformHttpError when the response is not 204 with exactly one token
   */
  async login(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    const usable = readCredentials(credentials);
    await this.#core.logIn(loginRequest(usable, this.#core.settings.applicationType), call);
  }

  /** Alias of `login` (spec: post_login). */
  postLogin(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    return this.login(credentials, call);
  }

  /**
   * `POST auth/delegate` with an identity token (spec: Delegate request body).
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
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response does not have exactly one well-formed identity token
   */
  async createIdentityToken(call: CallOptions = {}): Promise<string> {
    this.#core.state.requireToken();
    const { vendorHeaders } = this.#core.settings;
    return identityTokenOf(await this.request('POST', 'auth/identityToken', call), vendorHeaders);
  }

  /**
   * `POST auth/logout` (spec: Endpoints). The token is dropped only on 204, and not when it came from a newer login.
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not 204: the session may still exist, so the token is kept
   */
  async logout(call: CallOptions = {}): Promise<void> {
    const { state } = this.#core;
    state.requireToken();
    const { sessionGeneration } = state;
    const response = await this.request('POST', 'auth/logout', call);
    const { status } = response;
    if (status !== 204) {
      const message = `The platform answered the logout with HTTP ${status}; only 204 ends the session.`;
      throw new PlatformHttpError(message, { status });
    }
    if (sessionGeneration === state.sessionGeneration) this.destroyAuthToken();
  }

  /** Alias of `logout` (spec: post_logout). */
  postLogout(call: CallOptions = {}): Promise<void> {
    return this.logout(call);
  }

  /**
   * `PUT sessions` (spec: Endpoints): extends the session. The specification defines no body for the response.
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   */
  async putSessions(call: CallOptions = {}): Promise<PlatformResponse> {
    this.#core.state.requireToken();
    return this.request('PUT', 'sessions', call);
  }

  /** Alias of `putSessions` (spec: extend_session). */
  extendSession(call: CallOptions = {}): Promise<PlatformResponse> {
    return this.putSessions(call);
  }

  /**
   * `GET sessions` (spec: Session status): the status of the session.
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not a JSON object
   */
  async getSessions(call: CallOptions = {}): Promise<PlatformSessionInfo> {
    return readSessionInfo(await this.#get('sessions', call));
  }

  /** Alias of `getSessions` (spec: get_session_info). */
  getSessionInfo(call: CallOptions = {}): Promise<PlatformSessionInfo> {
    return this.getSessions(call);
  }

  /**
   * `GET sessions/userInfo` (spec: User information): who is logged in.
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not a JSON object
   */
  async getSessionsUserInfo(call: CallOptions = {}): Promise<PlatformUser> {
    return readUser(await this.#get('sessions/userInfo', call));
  }

  /** Alias of `getSessionsUserInfo` (spec: get_userinfo). */
  getUserInfo(call: CallOptions = {}): Promise<PlatformUser> {
    return this.getSessionsUserInfo(call);
  }

  /**
   * `GET projects` (spec: Project): the projects on the platform.
   * @throws SessionError if there is no token, before any request, or on `ERR009`
   * @throws PlatformHttpError when the response is not a list, has over 10,000 projects, or has none with id and
   * name; others are left out
   */
  async getProjects(call: CallOptions = {}): Promise<PlatformProject[]> {
    return readProjects(await this.#get('projects', call));
  }

  /**
   * Fetches the projects for lookups by name and by id (spec: load_projects).
   * @throws SessionError as for `getProjects`, or when the session was ended or replaced during the call
   */
  async loadProjects(call: CallOptions = {}): Promise<void> {
    await this.#projects.load(() => this.getProjects(call));
  }

  /**
   * Id of the loaded project with a display name; undefined when there is none. Names are case-sensitive.
   * @throws SessionError before `loadProjects`
   * @throws AmbiguousProjectNameError when several projects have the name; it lists their ids
   */
  getProjectId(name: string): string | undefined {
    return this.#projects.index.idOf(name);
  }

  /**
   * The loaded project with an id; undefined when there is none.
   * @throws SessionError before `loadProjects`
   */
  getProject(id: string): PlatformProject | undefined {
    return this.#projects.index.project(id);
  }

  /** Whether a token is held; no request is made. */
  hasSession(): boolean {
    return this.#core.state.token !== undefined;
  }

  /**
   * Discards the token, if there is one, and its cookies; no request is made. Responses and logins in flight do not
   * bring them back.
   */
  destroyAuthToken(): void {
    this.#core.state.dropToken();
  }

  /** The state as plain data, for storage. Protect it like a password; see `SessionSnapshot`. */
  toDict(): SessionSnapshot {
    return this.#core.snapshot();
  }

  /** Earlier name of `toDict`. */
  dict(): SessionSnapshot {
    return this.toDict();
  }

  /** The state as JSON text; equal states give equal texts. */
  json(): string {
    return JSON.stringify(this.toDict());
  }

  /**
   * Changes whenever an answer, a login or a restore may have changed what `json()` returns. While it stays the same,
   * `json()` differs at most by cookies that have expired.
   */
  get revision(): number {
    return this.#core.state.revision;
  }

  /**
   * Replaces the state with that of a snapshot, completely or not at all (spec: update_from_json).
   * @throws SessionError when it lacks a key, is not JSON, names another base URL, or cannot be restored
   */
  updateFromJson(snapshot: RestorableSnapshot | string, options: RestoreOptions = {}): void {
    this.#core.restore(snapshot, options);
  }

  /**
   * Closes this object without a logout: later calls are refused, and no login in flight starts a session. A session
   * with a connection of its own closes its sockets, and calls in flight fail.
   */
  async close(): Promise<void> {
    await this.#core.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #get(path: string, call: CallOptions): Promise<PlatformResponse> {
    this.#core.state.requireToken();
    return this.request('GET', path, call);
  }

  /** What `JSON.stringify` and inspection show. */
  toJSON(): { baseUrl: string; hasSession: boolean } {
    return { baseUrl: this.baseUrl, hasSession: this.hasSession() };
  }

  [inspect.custom](): string {
    return `${this.constructor.name} ${inspect(this.toJSON())}`;
  }
}
