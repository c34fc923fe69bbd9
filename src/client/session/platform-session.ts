import { inspect } from 'node:util';
import { loginAttempt, requireIdentityToken, type AuthenticationCredentials } from './login-attempt.js';
import { type LoginCredentials } from './login.js';
import { readProjects, readSessionInfo, readUser } from './payload-shapes.js';
import { LoadedProjects } from './loaded-projects.js';
import { PlatformConnection } from '../connection/platform-connection.js';
import { SessionError } from '../errors/error-classes.js';
import { type PlatformResponse } from '../connection/response/platform-response.js';
import { type PlatformProject, type PlatformSessionInfo, type PlatformUser } from './platform-types.js';
import { type CallOptions, type RequestMethod, type RequestOptions } from './request-options.js';
import { SessionRequests } from './session-requests.js';
import { readCredentials } from './read-credentials.js';
import { type PlatformSessionOptions, type RestoreOptions } from './session-options.js';
import { restoreState, snapshotBaseUrl } from './state/session-restore.js';
import {
  makeSnapshot,
  readSnapshot,
  type RestorableSnapshot,
  type SessionSnapshot,
} from './state/session-snapshot.js';
import { SessionState } from './state/session-state.js';

/**
 * One user's session (spec: Client session operations). Safe for concurrent calls. Every operation rejects with a kind
 * of `PlatformError` only; those that need a token reject with `SessionError` before any request when none is held.
 */
export class PlatformSession {
  readonly #connection: PlatformConnection;
  readonly #ownsConnection: boolean;
  readonly #state: SessionState;
  readonly #requests: SessionRequests;
  readonly #projects: LoadedProjects;
  #baseUrl: URL;
  #isClosed = false;

  /**
   * @param platform the REST root, for a session that stands alone; a `PlatformClient` passes its connection
   * @throws TypeError that names the option that cannot be used
   */
  constructor(platform: string | URL | PlatformConnection, options: PlatformSessionOptions = {}) {
    this.#ownsConnection = !(platform instanceof PlatformConnection);
    this.#connection =
      platform instanceof PlatformConnection
        ? platform
        : new PlatformConnection({ ...options, baseUrl: platform });
    const { vendorHeaders, now, baseUrl } = this.#connection.settings;
    this.#baseUrl = baseUrl;
    this.#state = new SessionState(vendorHeaders, now);
    this.#requests = new SessionRequests(this.#connection, this.#state);
    this.#projects = new LoadedProjects(this.#state);
  }

  /**
   * A new session, standing alone, with the state and the base URL of a snapshot (spec: from_dict).
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
    return this.#baseUrl.href;
  }

  /** Cookies that the platform sent and that were refused: foreign, malformed or over a limit. */
  get droppedCookies(): number {
    return this.#state.cookies.dropped;
  }

  /**
   * Sends one request below the base URL (spec: request). Vendor headers and cookies of a success are kept.
   * @param path below the base URL, with or without a leading `/`
   * @throws PlatformError of the kind that the answer's code names, for any status but 2xx
   */
  async request(
    method: RequestMethod,
    path: string,
    options: RequestOptions = {},
  ): Promise<PlatformResponse> {
    this.#requireOpen();
    return this.#requests.send(this.#baseUrl, method, path, options);
  }

  /**
   * `POST auth/login` (spec: Endpoints): user name and password log in by mode 1, else an API key by 4096, else a user
   * name alone by 4096, else anonymously by 8; a password without a user name is refused, unless an API key is given. A failed login leaves the session as it was. One that is answered after the
   * session was ended, restored or closed is logged out at the platform again.
   * @throws InvalidRequestError when the credentials cannot be used, before any request
   * @throws SessionError when the session was ended, restored or closed meanwhile
   * @throws LoginFailedError when the platform refuses the credentials
   * @throws PlatformHttpError when it answers other than 204 with exactly one token
   */
  async login(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    await this.authenticate(readCredentials(credentials), call);
  }

  /** Alias of `login` (spec: post_login). */
  postLogin(credentials: LoginCredentials = {}, call: CallOptions = {}): Promise<void> {
    return this.login(credentials, call);
  }

  /**
   * `POST auth/delegate` with an identity token (spec: Delegate request body).
   * @throws MissingCredentialError when the token is empty or no text, InvalidRequestError when malformed; before any request
   * @throws LoginFailedError when the platform refuses it
   */
  async delegate(identityToken: string, call: CallOptions = {}): Promise<void> {
    await this.authenticate({ identityToken: requireIdentityToken(identityToken) }, call);
  }

  /**
   * Begins a session, as `login` and `delegate` do.
   * @param renews whether it is the same user, logged in anew: the loaded projects stay
   */
  protected async authenticate(
    credentials: AuthenticationCredentials,
    call: CallOptions = {},
    renews = false,
  ): Promise<void> {
    this.#requireOpen();
    const attempt = loginAttempt(credentials, this.#connection.settings.applicationType);
    await this.#requests.logIn(this.#baseUrl, attempt, call, renews);
  }

  /** Changes whenever a session begins, ends or is restored. */
  protected get era(): number {
    return this.#state.era;
  }

  /** Changes with the era, except where the same user was logged in anew. */
  protected get user(): number {
    return this.#state.user;
  }

  /**
   * `POST auth/logout` (spec: Endpoints). The token is dropped only on 204, and not when a newer login brought it.
   * @throws SessionError when no token is held, before any request, or when the platform says `ERR009`
   */
  async logout(call: CallOptions = {}): Promise<void> {
    this.#state.requireToken();
    const { era } = this;
    const response = await this.request('POST', 'auth/logout', call);
    if (response.status === 204 && era === this.era) this.destroyAuthToken();
  }

  /** Alias of `logout` (spec: post_logout). */
  postLogout(call: CallOptions = {}): Promise<void> {
    return this.logout(call);
  }

  /**
   * `PUT sessions` (spec: Endpoints): prolongs the session. Its answer has no body that is specified.
   * @throws SessionError when no token is held, before any request, or when the platform says `ERR009`
   */
  async putSessions(call: CallOptions = {}): Promise<PlatformResponse> {
    this.#state.requireToken();
    return this.request('PUT', 'sessions', call);
  }

  /** Alias of `putSessions` (spec: extend_session). */
  extendSession(call: CallOptions = {}): Promise<PlatformResponse> {
    return this.putSessions(call);
  }

  /**
   * `GET sessions` (spec: Session status): the status of the session.
   * @throws SessionError when no token is held, before any request, or when the platform says `ERR009`
   * @throws PlatformHttpError when the answer is no JSON object
   */
  async getSessions(call: CallOptions = {}): Promise<PlatformSessionInfo> {
    this.#state.requireToken();
    return readSessionInfo(await this.request('GET', 'sessions', call));
  }

  /** Alias of `getSessions` (spec: get_session_info). */
  getSessionInfo(call: CallOptions = {}): Promise<PlatformSessionInfo> {
    return this.getSessions(call);
  }

  /**
   * `GET sessions/userInfo` (spec: User information): who is logged in.
   * @throws SessionError when no token is held, before any request, or when the platform says `ERR009`
   * @throws PlatformHttpError when the answer is no JSON object
   */
  async getSessionsUserInfo(call: CallOptions = {}): Promise<PlatformUser> {
    this.#state.requireToken();
    return readUser(await this.request('GET', 'sessions/userInfo', call));
  }

  /** Alias of `getSessionsUserInfo` (spec: get_userinfo). */
  getUserInfo(call: CallOptions = {}): Promise<PlatformUser> {
    return this.getSessionsUserInfo(call);
  }

  /**
   * `GET projects` (spec: Project): the projects that the platform holds.
   * @throws SessionError when no token is held, before any request, or when the platform says `ERR009`
   * @throws PlatformHttpError when the answer is no list, or one of more than 10,000 projects or of one without id and name
   */
  async getProjects(call: CallOptions = {}): Promise<PlatformProject[]> {
    this.#state.requireToken();
    return readProjects(await this.request('GET', 'projects', call));
  }

  /**
   * Fetches the projects and fills the look-ups by name and by id (spec: load_projects).
   * @throws SessionError as `getProjects`, or when the session was ended or replaced meanwhile
   */
  async loadProjects(call: CallOptions = {}): Promise<void> {
    await this.#projects.load(() => this.getProjects(call));
  }

  /**
   * Id of the project with a display name, among those loaded; undefined when none has it. Names are case-sensitive.
   * @throws SessionError before `loadProjects`
   * @throws AmbiguousProjectNameError when several projects have the name; it lists their ids
   */
  getProjectId(name: string): string | undefined {
    return this.#projects.index.idOf(name);
  }

  /**
   * The project with an id, among those loaded; undefined when none has it.
   * @throws SessionError before `loadProjects`
   */
  getProject(id: string): PlatformProject | undefined {
    return this.#projects.index.project(id);
  }

  /** Whether a token is held; no request is made. */
  hasSession(): boolean {
    return this.#state.token !== undefined;
  }

  /** Forgets the token, if there is one; no request is made. Answers and logins under way bring nothing back. */
  destroyAuthToken(): void {
    this.#state.dropToken();
  }

  /** The state as plain data, for keeping. It is as good as a password; see `SessionSnapshot`. */
  toDict(): SessionSnapshot {
    return makeSnapshot(this.#baseUrl.href, this.#state.cookies.list(), this.#state.headers());
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
   * Takes the state of a snapshot in place of the present one, wholly or not at all (spec: update_from_json).
   * @throws SessionError when it lacks a key, is not JSON, names another base URL, or cannot be restored
   */
  updateFromJson(snapshot: RestorableSnapshot | string, options: RestoreOptions = {}): void {
    const { vendorHeaders, now } = this.#connection.settings;
    const expected = options.acceptOtherBaseUrl === true ? undefined : this.#baseUrl;
    const restored = restoreState(readSnapshot(snapshot), expected, vendorHeaders, now);
    this.#baseUrl = restored.baseUrl;
    this.#state.replace(restored.headers, restored.cookies);
  }

  /**
   * Ends the use of this object: later calls are refused, and no login under way begins a session. A connection of its own
   * closes its sockets, and calls in flight fail. No logout.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#state.refuseLogins();
    if (this.#ownsConnection) await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new SessionError('This session object is closed.');
  }

  /** What `JSON.stringify` and inspection show. */
  toJSON(): { baseUrl: string; hasSession: boolean } {
    return { baseUrl: this.baseUrl, hasSession: this.hasSession() };
  }

  [inspect.custom](): string {
    return `${this.constructor.name} ${inspect(this.toJSON())}`;
  }
}
