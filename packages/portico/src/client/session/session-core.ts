import { hash } from 'node:crypto';
import { isAuthPath, isLoginPath, isLogout, pathBelow, resolveBelow } from '../connection/paths.js';
import { OpenResponse } from '../connection/open-response.js';
import { type Exchange, PlatformConnection } from '../connection/platform-connection.js';
import { hopHeaders } from '../connection/headers.js';
import { type RequestLine } from '../connection/redirects.js';
import { type PlatformResponse } from '../connection/platform-response.js';
import { errorOfResponse, isErrorInDisguise, type TranslationContext } from '../connection/response-error.js';
import { ExecutionCancelledError, SessionError } from '../../errors/error-classes.js';
import { isSessionExpired } from '../../errors/error-guards.js';
import { type PlatformError } from '../../errors/platform-error.js';
import { loginFailure, tokenOfLogin, type LoginRequest } from './login.js';
import {
  readRequest,
  requireCallOptions,
  requireRequestOptions,
  type CallOptions,
  type RequestMethod,
  type RequestOptions,
  type SessionRequest,
} from './request.js';
import { textBody } from './request-body.js';
import { type PlatformSessionOptions } from '../connection/client-options.js';
import { type RestoreOptions, restoreState } from './session-restore.js';
import { readSnapshot, type RestorableSnapshot, type SessionSnapshot } from './session-snapshot.js';
import { SessionState } from './session-state.js';

let sessions = 0;

/**
 * What a session object works on: connection, state and base URL. It sends what the state holds, and stores what a
 * successful response brings. Internal: a `PlatformSession` has exactly one.
 */
export class SessionCore {
  readonly state: SessionState;
  readonly settings: PlatformConnection['settings'];
  /** Stands for the session while it has no token. */
  readonly #name = `session ${(sessions += 1)}`;
  readonly #connection: PlatformConnection;
  readonly #ownsConnection: boolean;
  #baseUrl: URL;
  #isClosed = false;

  /** @param ownsConnection whether closing the session closes the connection */
  constructor(connection: PlatformConnection, ownsConnection = false) {
    const { vendorHeaders, now, baseUrl } = (this.settings = connection.settings);
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

  /**
   * @param requireOptions what checks the options
   * @throws InvalidRequestError when a part of the request is unusable
   */
  readRequest(
    method: RequestMethod,
    path: string,
    given: RequestOptions,
    requireOptions: (given: RequestOptions) => RequestOptions = requireRequestOptions,
  ): SessionRequest {
    this.#requireOpen();
    const options = requireOptions(given);
    return readRequest(this.#baseUrl, method, path, options, this.settings.vendorHeaders);
  }

  /**
   * Any call except a login. An unsuccessful response is thrown as a typed error and changes nothing. If a token or
   * cookie was renewed while the call was in flight, that may be why the platform rejected the call. Then the call is
   * sent again, once.
   */
  send(request: SessionRequest): Promise<PlatformResponse> {
    return this.#sentAgainIfRenewed(request, (exchange) => this.#connection.exchange(exchange));
  }

  /** The same, but any response that does not say that the session has expired is a success, and may be arriving. */
  open(request: SessionRequest): Promise<OpenResponse> {
    return this.#sentAgainIfRenewed(request, (exchange) => this.#connection.open(exchange));
  }

  async #sentAgainIfRenewed<R extends PlatformResponse>(
    request: SessionRequest,
    make: (exchange: Exchange) => Promise<R>,
  ): Promise<R> {
    this.#requireOpen();
    const { includeAuth, options, line } = request;
    const { state } = this;
    const { userGeneration, revision } = state;
    const isRenewed = (): boolean =>
      state.revision !== revision && state.userGeneration === userGeneration && state.token !== undefined;
    const send = (): Promise<R> => state.pendingAnswers.count(() => this.#sendOnce(request, make));
    try {
      return await send();
    } catch (error) {
      if (!isSessionExpired(error) || !includeAuth || line.body?.isRepeatable === false) throw error;
      // The answer that renews the session may arrive after the one that rejects what it replaces.
      await state.pendingAnswers.until(isRenewed, options.signal);
      if (options.signal?.aborted) {
        const cause: unknown = options.signal.reason;
        throw new ExecutionCancelledError('The call was canceled by its caller.', { cause });
      }
      if (!isRenewed()) throw error;
      return send();
    }
  }

  async #sendOnce<R extends PlatformResponse>(
    { line, fields, projectId, includeAuth, options, accepts, maxRedirects }: SessionRequest,
    make: (exchange: Exchange) => Promise<R>,
  ): Promise<R> {
    const { state } = this;
    const base = this.#baseUrl;
    const { vendorHeaders, onUnusableCookie } = this.settings;
    const { sessionGeneration } = state;
    if (includeAuth) state.requireToken();
    const token = includeAuth ? state.token : undefined;
    const path = pathBelow(base, line.url);
    let cookiesWithheld = false;
    const response = await make({
      ...this.#exchangeOf(line, path, options),
      circuit: isAuthPath(path) ? 'auth' : 'data',
      isLogout: isLogout(line.method, path),
      party: options.party ?? [state.token ?? this.#name],
      headersOf: (hop: RequestLine) => {
        const cookie = state.cookies.headerFor(hop.url);
        cookiesWithheld ||= state.cookies.areIncomplete;
        return hopHeaders({ fields, projectId, token }, hop.body, cookie, vendorHeaders);
      },
      onRedirect: (redirect) => {
        state.storeCookies(sessionGeneration, redirect, onUnusableCookie);
      },
      mayFollow: maxRedirects !== -1,
      maxRedirects,
      mayRetry: line.method === 'GET' || line.method === 'HEAD',
    });
    const sent = { path, cookiesWithheld, secrets: [token ?? ''] };
    if (!this.#isSuccess(response, accepts, sent)) return response;
    state.storeHeaders(sessionGeneration, response);
    state.storeCookies(sessionGeneration, response, onUnusableCookie, base);
    return response;
  }

  /**
   * Whether what a response brings is to be kept.
   * @throws PlatformError for a response that the caller does not accept, or that says that the session has expired
   */
  #isSuccess(
    response: PlatformResponse,
    accepts: SessionRequest['accepts'],
    {
      path,
      cookiesWithheld,
      secrets,
    }: Pick<Exchange, 'path'> & Required<Pick<TranslationContext, 'cookiesWithheld' | 'secrets'>>,
  ): boolean {
    const { status } = response;
    const ok = status >= 200 && status <= 299;
    // Most answers need not be parsed to know.
    const isError = !accepts(status) || (ok && response.contains('ERR') && isErrorInDisguise(response));
    if (!isError && ok) return true;
    const error = this.#errorOf(response, { isLogin: isLoginPath(path), cookiesWithheld }, secrets);
    if (isSessionExpired(error) || (isError && !(response instanceof OpenResponse))) {
      response.abandon();
      throw error;
    }
    return !isError && status < 400;
  }

  #exchangeOf(
    line: RequestLine,
    path: string,
    { signal, onLarge, maxResponseBytes, timeoutMs, queueTimeoutMs }: CallOptions,
  ): Pick<Exchange, 'line' | 'path' | 'signal' | 'onLarge' | 'maxResponseBytes' | 'limits'> {
    const { settings } = this;
    const limits = {
      timeoutMs: timeoutMs ?? settings.timeoutMs,
      queueTimeoutMs: queueTimeoutMs ?? settings.queueTimeoutMs,
    };
    return { line, path, signal: signal ?? undefined, onLarge, maxResponseBytes, limits };
  }

  /**
   * `POST auth/login` or `auth/delegate`: no redirect followed, no retry, no token sent. No cookie is sent either:
   * one of an ended session may be refused, and that of a balancer comes anew with the answer. Only 204 with exactly
   * one well-formed token starts a session; any other response is thrown and changes nothing. A session that arrives
   * after it is no longer wanted is logged out again.
   * @param isSameUser whether the same user logs in again
   */
  async logIn(
    { path, body, account, secrets }: LoginRequest,
    call: CallOptions = {},
    isSameUser = false,
  ): Promise<void> {
    this.#requireOpen();
    const { state, settings } = this;
    const base = this.#baseUrl;
    const { loginGeneration, userGeneration } = state;
    const options = requireCallOptions(call);
    const content = textBody('application/json', JSON.stringify(body));
    const line = { method: 'POST', url: resolveBelow(base, path), body: content };
    const fixed = { fields: {}, projectId: undefined, token: undefined };
    const response = await this.#connection.exchange({
      ...this.#exchangeOf(line, path, options),
      circuit: 'auth',
      isLogout: false,
      // A digest, because the account of a trusted login may be a secret.
      party: options.party ?? [account === undefined ? this.#name : hash('sha256', account)],
      headersOf: (hop) => hopHeaders(fixed, hop.body, '', settings.vendorHeaders),
      onRedirect: () => undefined,
      mayFollow: false,
      mayRetry: false,
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
    await late.send(late.readRequest('POST', 'auth/logout', {})).catch(() => undefined);
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

  /** Not to be handed out as it is: inspection shows what it holds. */
  snapshot(): SessionSnapshot {
    return {
      base_url: this.#baseUrl.href,
      cookies: this.state.cookies.list(),
      headers: this.state.headers(),
    };
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
