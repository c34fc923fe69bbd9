import { PlatformConnection } from '../connection/platform-connection.js';
import { type PlatformResponse } from '../connection/platform-response.js';
import { PlatformHttpError, SessionError } from '../../errors/error-classes.js';
import { isIdentityToken, type LoginRequest } from './login.js';
import { type CallOptions, type RequestMethod, type RequestOptions } from './request-options.js';
import { type PlatformSessionOptions, type RestoreOptions } from './session-options.js';
import { SessionRequests } from './session-requests.js';
import { restoreState } from './session-restore.js';
import {
  makeSnapshot,
  readSnapshot,
  type RestorableSnapshot,
  type SessionSnapshot,
} from './session-snapshot.js';
import { SessionState } from './session-state.js';

/**
 * What a session object works on: connection, state, base URL, and whether it is open. Internal: `PlatformSession` and its
 * groups of operations share one core, and a managed session watches it.
 */
export class SessionCore {
  readonly state: SessionState;
  /** Called after each login that started a session. */
  onLogin: () => void = () => undefined;
  readonly #connection: PlatformConnection;
  readonly #ownsConnection: boolean;
  readonly #requests: SessionRequests;
  #baseUrl: URL;
  #isClosed = false;

  /** @param ownsConnection whether closing the session closes the connection */
  constructor(connection: PlatformConnection, ownsConnection = false) {
    const { vendorHeaders, now, baseUrl } = connection.settings;
    this.#connection = connection;
    this.#ownsConnection = ownsConnection;
    this.#baseUrl = baseUrl;
    this.state = new SessionState(vendorHeaders, now);
    this.#requests = new SessionRequests(connection, this.state);
  }

  /**
   * A core with a connection of its own.
   * @throws TypeError that names the unusable option
   */
  static connect(baseUrl: string | URL, options: PlatformSessionOptions): SessionCore {
    return new SessionCore(new PlatformConnection({ ...options, baseUrl }), true);
  }

  get baseUrl(): URL {
    return this.#baseUrl;
  }

  /** `applicationType` of a login that does not name one. */
  get applicationType(): number {
    return this.#connection.settings.applicationType;
  }

  /** @throws SessionError when the session object is closed */
  requireOpen(): void {
    if (this.#isClosed) throw new SessionError('This session object is closed.', {}, 'session-closed');
  }

  async send(method: RequestMethod, path: string, options: RequestOptions): Promise<PlatformResponse> {
    this.requireOpen();
    return this.#requests.send(this.#baseUrl, method, path, options);
  }

  /** @param isSameUser whether the same user logs in again: the loaded projects stay */
  async logIn(login: LoginRequest, call: CallOptions = {}, isSameUser = false): Promise<void> {
    this.requireOpen();
    await this.#requests.logIn(this.#baseUrl, login, call, isSameUser);
    this.onLogin();
  }

  /** @throws PlatformHttpError when the response does not have exactly one well-formed identity token */
  identityTokenOf({ headers, status }: PlatformResponse): string {
    const [token, ...others] = headers.valuesOf(this.#connection.settings.vendorHeaders.identityToken);
    if (isIdentityToken(token) && others.length === 0) return token;
    throw new PlatformHttpError('The response does not have exactly one well-formed identity token.', {
      status,
    });
  }

  snapshot(): SessionSnapshot {
    return makeSnapshot(this.#baseUrl.href, this.state.cookies.list(), this.state.headers());
  }

  /** @throws SessionError when the snapshot cannot be restored; nothing changes then */
  restore(snapshot: RestorableSnapshot | string, options: RestoreOptions): void {
    const { vendorHeaders, now } = this.#connection.settings;
    const expected = options.acceptOtherBaseUrl === true ? undefined : this.#baseUrl;
    const restored = restoreState(readSnapshot(snapshot), expected, vendorHeaders, now);
    this.#baseUrl = restored.baseUrl;
    this.state.replace(restored.headers, restored.cookies, options.isSameSession === true);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.state.refuseLogins();
    if (this.#ownsConnection) await this.#connection.close();
  }
}
