import { pathBelow, resolveBelow } from '../connection/base-url.js';
import { isLoginPath } from '../connection/operations.js';
import { type PlatformConnection } from '../connection/platform-connection.js';
import { redirectHost, type RequestLine } from '../connection/redirects.js';
import { type PlatformResponse } from '../connection/platform-response.js';
import { errorOfResponse, isErrorInDisguise, type TranslationContext } from '../connection/response-error.js';
import {
  ExecutionCancelledError,
  InvalidRequestError,
  isSessionExpired,
  PlatformHttpError,
  SessionError,
} from '../../errors/error-classes.js';
import { type PlatformError } from '../../errors/platform-error.js';
import { type LoginRequest } from './login.js';
import { hopHeaders, requestHeaders } from './request-headers.js';
import {
  requireMethod,
  requireOptions,
  type CallOptions,
  type RequestMethod,
  type RequestOptions,
} from './request-options.js';
import { SessionState } from './session-state.js';

let sessions = 0;

/** Makes the requests of one session: sends what the state holds, and stores what a successful response brings. */
export class SessionRequests {
  readonly #connection: PlatformConnection;
  readonly #state: SessionState;
  /** Stands for the session while it has no token. */
  readonly #name = `session ${(sessions += 1)}`;

  constructor(connection: PlatformConnection, state: SessionState) {
    this.#connection = connection;
    this.#state = state;
  }

  /**
   * Any call except a login. An unsuccessful response is thrown as a typed error and changes nothing. If a token or cookie was
   * renewed while the call was in flight, that may be why the platform rejected the call. Then the call is sent again, once.
   */
  async send(
    base: URL,
    givenMethod: RequestMethod,
    path: string,
    givenOptions: RequestOptions,
  ): Promise<PlatformResponse> {
    const method = requireMethod(givenMethod);
    const options = requireOptions(givenOptions);
    const line = { method, url: resolveBelow(base, path), body: jsonBody(method, options.body) };
    const state = this.#state;
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

  async #sendOnce(
    base: URL,
    line: RequestLine & { readonly method: RequestMethod },
    options: Partial<RequestOptions>,
  ): Promise<PlatformResponse> {
    const state = this.#state;
    const { sessionGeneration, token } = state;
    const { method } = line;
    const path = pathBelow(base, line.url);
    const fixed = requestHeaders(options, token, this.#connection.settings.vendorHeaders);
    if (options.includeAuth !== false) state.requireToken();
    const { onUnusableCookie } = this.#connection.settings;
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
      mayRetry: method === 'GET' || method === 'HEAD',
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
   * `POST auth/login` or `auth/delegate`: no redirect followed, no retry, no token sent. No cookie is sent either: one of an
   * ended session may be refused, and that of a balancer comes anew with the answer. Only 204 with exactly one well-formed token
   * starts a session; any other response is thrown and changes nothing. A session that arrives after it is no longer wanted is
   * logged out again.
   * @param isSameUser whether the same user logs in again
   */
  async logIn(
    base: URL,
    { path, body, party, secrets }: LoginRequest,
    call: CallOptions,
    isSameUser: boolean,
  ): Promise<void> {
    const { settings } = this.#connection;
    const state = this.#state;
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
    const { status } = response;
    if (status !== 204) throw this.#loginFailure(response, secrets);
    const token = settings.vendorHeaders.tokenOf(response.headers);
    if (token === undefined) {
      throw new PlatformHttpError('The platform accepted the login without exactly one well-formed token.', {
        status,
        tokenHeader: settings.vendorHeaders.otherTokenHeader(response.headers),
      });
    }
    const isOtherUser = isSameUser && userGeneration !== state.userGeneration;
    if (loginGeneration !== state.loginGeneration || isOtherUser) {
      await this.#logOutUnwanted(base, token, response);
      const message = 'The session was ended, replaced or closed during the login.';
      throw new SessionError(message, {}, 'session-replaced');
    }
    state.start(token, response, settings.onUnusableCookie, base, isSameUser);
  }

  /** Logs out a session that arrived too late; a failure is ignored, since nobody holds the session. */
  async #logOutUnwanted(base: URL, token: string, response: PlatformResponse): Promise<void> {
    const { vendorHeaders, now } = this.#connection.settings;
    const state = new SessionState(vendorHeaders, now);
    state.start(token, response, () => undefined, base);
    const requests = new SessionRequests(this.#connection, state);
    await requests.send(base, 'POST', 'auth/logout', {}).catch(() => undefined);
  }

  /** A 2xx status other than 204 is a failure too: by its code if it has one. */
  #loginFailure(response: PlatformResponse, secrets: readonly string[]): PlatformError {
    const { status } = response;
    const error = this.#errorOf(response, { isLogin: true, cookiesWithheld: false }, secrets);
    const isRedirect = status > 299 && status < 400;
    if ((status > 299 && !isRedirect) || error.kind !== 'protocol') return error;
    const message = `The platform answered the login with HTTP ${status}; only 204 starts a session.`;
    return new PlatformHttpError(message, { status, redirectHost: redirectHost(response) });
  }

  #errorOf(
    response: PlatformResponse,
    call: Pick<TranslationContext, 'isLogin' | 'cookiesWithheld'>,
    sent: readonly string[],
  ): PlatformError {
    const { iserverMessages, now } = this.#connection.settings;
    const cookies = this.#state.cookies.list().map(({ value }) => value);
    const held = Object.values(this.#state.headers());
    return errorOfResponse(response, {
      ...call,
      iserverMessages,
      now: now(),
      secrets: [...sent, ...held, ...cookies],
    });
  }
}

function jsonBody(method: RequestMethod, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (method === 'GET' || method === 'HEAD')
    throw new InvalidRequestError(`A ${method} request cannot have a body.`);
  try {
    const text = JSON.stringify(body) as string | undefined;
    if (text !== undefined) return text;
  } catch {
    // A cycle or a bigint: reported below without the value.
  }
  throw new InvalidRequestError('The body of the request cannot be written as JSON.');
}
