import { pathBelow, resolveBelow } from '../connection/base-url.js';
import { isLoginPath } from '../connection/operations.js';
import { PlatformConnection } from '../connection/platform-connection.js';
import { type RequestLine } from '../connection/redirects.js';
import { type PlatformResponse } from '../connection/platform-response.js';
import { errorOfResponse, isErrorInDisguise, type TranslationContext } from '../connection/response-error.js';
import { ExecutionCancelledError, isSessionExpired, SessionError } from '../../errors/error-classes.js';
import { type PlatformError } from '../../errors/platform-error.js';
import { loginFailure, tokenOfLogin, type LoginRequest } from './login.js';
import {
  hopHeaders,
  requestHeaders,
  requestLine,
  requireOptions,
  type CallOptions,
  type RequestMethod,
  type RequestOptions,
} from './request.js';
import { type PlatformSessionOptions } from '../connection/client-options.js';
import { type RestoreOptions, restoreState } from './session-restore.js';
import {
  makeSnapshot,
  readSnapshot,
  type RestorableSnapshot,
  type SessionSnapshot,
} from './session-snapshot.js';
import { SessionState } from './session-state.js';

let sessions = 0;

/**
 * What a session object works on: connection, state and base URL. It sends what the state holds, and stores what a
 * successful response brings. Internal: a `PlatformSession` has exactly one.
 */
export class SessionCore {
  readonly state: SessionState;
  /** Stands for the session while it has no token. */
  readonly #name = `session ${(sessions += 1)}`;
  readonly #connection: PlatformConnection;
  readonly #ownsConnection: boolean;
  #baseUrl: URL;
  #isClosed = false;

  /** @param ownsConnection whether closing the session closes the connection */
  constructor(connection: PlatformConnection, ownsConnection = false) {
    const { vendorHeaders, now, baseUrl } = connection.settings;
    this.#connection = connection;
    this.#ownsConnection = ownsConnection;
    this.#baseUrl = baseUrl;
    this.state = new SessionState(vendorHeaders, now);
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

  get settings(): PlatformConnection['settings'] {
    return this.#connection.settings;
  }

  /**
   * Any call except a login. An unsuccessful response is thrown as a typed error and changes nothing. If a token or
   * cookie was renewed while the call was in flight, that may be why the platform rejected the call. Then the call is
   * sent again, once.
   */
  async send(method: RequestMethod, path: string, given: RequestOptions): Promise<PlatformResponse> {
    this.#requireOpen();
    const { state } = this;
    const base = this.#baseUrl;
    const options = requireOptions(given);
    const line = requestLine(base, method, path, options);
    const { userGeneration, revision } = state;
    const isRenewed = (): boolean =>
      state.revision !== revision && state.userGeneration === userGeneration && state.token !== undefined;
    const send = (): Promise<PlatformResponse> =>
      state.pendingAnswers.count(() => this.#sendOnce(base, line, options));
    try {
      return await send();
    } catch (error) {
      if (!isSessionExpired(error) || options.includeAuth === false) throw error;
      // The answer that renews the session may arrive after the one that rejects what it replaces.
      await state.pendingAnswers.until(isRenewed, options.signal);
      if (options.signal?.aborted) {
        throw new ExecutionCancelledError('The call was canceled by its caller.');
      }
      if (!isRenewed()) throw error;
      return send();
    }
  }

  async #sendOnce(base: URL, line: RequestLine, options: Partial<RequestOptions>): Promise<PlatformResponse> {
    const { state } = this;
    const { vendorHeaders, onUnusableCookie } = this.settings;
    const { sessionGeneration, token } = state;
    const path = pathBelow(base, line.url);
    const fixed = requestHeaders(options, token, vendorHeaders);
    if (options.includeAuth !== false) state.requireToken();
    let cookiesWithheld = false;
    const response = await this.#connection.exchange({
      line,
      path,
      party: options.party ?? [token ?? this.#name],
      headersOf: (hop: RequestLine) => {
        const cookie = state.cookies.headerFor(hop.url);
        cookiesWithheld ||= state.cookies.areIncomplete;
        return hopHeaders(fixed, hop, cookie);
      },
      onRedirect: (redirect) => {
        state.storeCookies(sessionGeneration, redirect, onUnusableCookie);
      },
      mayFollow: true,
      mayRetry: line.method === 'GET' || line.method === 'HEAD',
      signal: options.signal ?? undefined,
      onLarge: options.onLarge,
    });
    if (response.status < 200 || response.status > 299 || isErrorInDisguise(response)) {
      throw this.#errorOf(response, { isLogin: isLoginPath(path), cookiesWithheld }, [token ?? '']);
    }
    state.storeHeaders(sessionGeneration, response);
    state.storeCookies(sessionGeneration, response, onUnusableCookie, base);
    return response;
  }

  /**
   * `POST auth/login` or `auth/delegate`: no redirect followed, no retry, no token sent. No cookie is sent either:
   * one of an ended session may be refused, and that of a balancer comes anew with the answer. Only 204 with exactly
   * one well-formed token starts a session; any other response is thrown and changes nothing. A session that arrives
   * after it is no longer wanted is logged out again.
   * @param isSameUser whether the same user logs in again
   */
  async logIn(
    { path, body, party, secrets }: LoginRequest,
    call: CallOptions = {},
    isSameUser = false,
  ): Promise<void> {
    this.#requireOpen();
    const { state, settings } = this;
    const base = this.#baseUrl;
    const { loginGeneration, userGeneration } = state;
    const options = requireOptions(call);
    const line = { method: 'POST', url: resolveBelow(base, path), body: JSON.stringify(body) };
    const fixed = requestHeaders({}, undefined, settings.vendorHeaders);
    const response = await this.#connection.exchange({
      line,
      path,
      party: options.party ?? [party ?? this.#name],
      headersOf: (hop) => hopHeaders(fixed, hop, ''),
      onRedirect: () => undefined,
      mayFollow: false,
      mayRetry: false,
      signal: options.signal ?? undefined,
      onLarge: undefined,
    });
    if (response.status !== 204) {
      throw loginFailure(response, this.#errorOf(response, { isLogin: true }, secrets));
    }
    const token = tokenOfLogin(response, settings.vendorHeaders);
    const isOtherUser = isSameUser && userGeneration !== state.userGeneration;
    if (loginGeneration !== state.loginGeneration || isOtherUser) {
      await this.#logOutUnwanted(token, response);
      const message = 'The session was ended, replaced or closed during the login.';
      throw new SessionError(message, {}, 'session-replaced');
    }
    state.start(token, response, settings.onUnusableCookie, base, isSameUser);
  }

  /** Logs out a session that arrived too late; a failure is ignored, since nothing holds the session. */
  async #logOutUnwanted(token: string, response: PlatformResponse): Promise<void> {
    const late = new SessionCore(this.#connection);
    late.#baseUrl = this.#baseUrl;
    late.state.start(token, response, () => undefined, this.#baseUrl);
    await late.send('POST', 'auth/logout', {}).catch(() => undefined);
  }

  #errorOf(
    response: PlatformResponse,
    call: Pick<TranslationContext, 'isLogin' | 'cookiesWithheld'>,
    sent: readonly string[],
  ): PlatformError {
    const { iserverMessages, now } = this.settings;
    const cookies = this.state.cookies.list().map(({ value }) => value);
    const held = Object.values(this.state.headers());
    return errorOfResponse(response, {
      ...call,
      iserverMessages,
      now: now(),
      secrets: [...sent, ...held, ...cookies],
    });
  }

  snapshot(): SessionSnapshot {
    return makeSnapshot(this.#baseUrl.href, this.state.cookies.list(), this.state.headers());
  }

  /** @throws SessionError when the snapshot cannot be restored; nothing changes then */
  restore(snapshot: RestorableSnapshot | string, options: RestoreOptions): void {
    const { vendorHeaders, now } = this.settings;
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

  #requireOpen(): void {
    if (this.#isClosed) throw new SessionError('This session object is closed.', {}, 'session-closed');
  }
}
