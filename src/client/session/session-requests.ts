import { pathBelow, resolveBelow } from '../connection/base-url.js';
import { type LoginAttempt } from './login-attempt.js';
import { type PlatformConnection } from '../connection/platform-connection.js';
import { type PlatformError } from '../errors/platform-error.js';
import { InvalidRequestError, PlatformHttpError, SessionError } from '../errors/error-classes.js';
import { type PlatformResponse } from '../connection/response/platform-response.js';
import { type RequestLine } from '../connection/redirects.js';
import { hopHeaders, requestHeaders } from './request-headers.js';
import {
  requireMethod,
  requireOptions,
  type CallOptions,
  type RequestMethod,
  type RequestOptions,
} from './request-options.js';
import { errorOfResponse } from '../connection/response/response-error.js';
import { SessionState } from './state/session-state.js';

/** Makes the requests of one session: what the state holds goes out, what a success brings goes in. */
export class SessionRequests {
  readonly #connection: PlatformConnection;
  readonly #state: SessionState;

  constructor(connection: PlatformConnection, state: SessionState) {
    this.#connection = connection;
    this.#state = state;
  }

  /** Any call but a login. An answer that is not a success is thrown as a typed error and changes nothing. */
  async send(
    base: URL,
    givenMethod: RequestMethod,
    path: string,
    givenOptions: RequestOptions,
  ): Promise<PlatformResponse> {
    const method = requireMethod(givenMethod);
    const options = requireOptions(givenOptions);
    const state = this.#state;
    const { era, token } = state;
    const line = { method, url: resolveBelow(base, path), body: jsonBody(method, options.body) };
    const fixed = requestHeaders(options, token, this.#connection.settings.vendorHeaders);
    const response = await this.#connection.exchange({
      line,
      path: pathBelow(base, line.url),
      headersOf: (hop: RequestLine) => hopHeaders(fixed, hop, state.cookies.headerFor(hop.url)),
      onRedirect: (redirect) => {
        state.takeCookies(era, redirect);
      },
      mayFollow: true,
      mayRepeat: method === 'GET' || method === 'HEAD',
      signal: options.signal ?? undefined,
    });
    if (response.status < 200 || response.status > 299) throw this.#errorOf(response, token ?? '');
    state.takeHeaders(era, response);
    state.takeCookies(era, response);
    return response;
  }

  /**
   * `POST auth/login` or `auth/delegate`: nothing followed, nothing repeated, no token sent. Only 204 with exactly one
   * well-formed token begins a session; anything else is thrown and changes nothing. A session that nobody wants any more
   * when it comes is logged out again.
   */
  async logIn(
    base: URL,
    { path, body, secrets }: LoginAttempt,
    call: CallOptions,
    renews: boolean,
  ): Promise<void> {
    const { settings } = this.#connection;
    const state = this.#state;
    const { ends, user } = state;
    const { signal } = requireOptions(call);
    const line = { method: 'POST', url: resolveBelow(base, path), body: JSON.stringify(body) };
    const fixed = requestHeaders({}, undefined, settings.vendorHeaders);
    const response = await this.#connection.exchange({
      line,
      path,
      headersOf: (hop) => hopHeaders(fixed, hop, state.cookies.headerFor(hop.url)),
      onRedirect: () => undefined,
      mayFollow: false,
      mayRepeat: false,
      signal: signal ?? undefined,
    });
    const { status } = response;
    if (status !== 204) throw this.#loginFailure(response, secrets);
    const token = settings.vendorHeaders.tokenOf(response.headers);
    if (token === undefined) {
      throw new PlatformHttpError('The platform accepted the login without exactly one well-formed token.', {
        status,
      });
    }
    if (ends !== state.ends || (renews && user !== state.user)) {
      await this.#abandon(base, token, response);
      throw new SessionError('The session was ended, replaced or closed while it logged in.');
    }
    state.begin(token, response, renews);
  }

  /** Logs out a session that came too late, as well as that can be done. */
  async #abandon(base: URL, token: string, response: PlatformResponse): Promise<void> {
    const { vendorHeaders, now } = this.#connection.settings;
    const state = new SessionState(vendorHeaders, now);
    state.begin(token, response);
    const requests = new SessionRequests(this.#connection, state);
    await requests.send(base, 'POST', 'auth/logout', {}).catch(() => undefined);
  }

  /** A success other than 204 is a failure too: by its code where it names one. */
  #loginFailure(response: PlatformResponse, secrets: readonly string[]): PlatformError {
    const { status } = response;
    const error = this.#errorOf(response, ...secrets);
    if (status > 299 || error.code !== 'N/A') return error;
    const message = `The platform answered the login by HTTP ${status}; only 204 begins a session.`;
    return new PlatformHttpError(message, { status });
  }

  #errorOf(response: PlatformResponse, ...sent: string[]): PlatformError {
    const { iserverMessages, now } = this.#connection.settings;
    const cookies = this.#state.cookies.list().map(({ value }) => value);
    const held = Object.values(this.#state.headers());
    return errorOfResponse(response, {
      iserverMessages,
      now: now(),
      secrets: [...sent, ...held, ...cookies],
    });
  }
}

function jsonBody(method: RequestMethod, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  if (method === 'GET' || method === 'HEAD')
    throw new InvalidRequestError(`A ${method} request has no body.`);
  try {
    const text = JSON.stringify(body) as string | undefined;
    if (text !== undefined) return text;
  } catch {
    // A cycle or a bigint; said below without the value.
  }
  throw new InvalidRequestError('The body of the request cannot be written as JSON.');
}
