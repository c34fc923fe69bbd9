import { type UnusableCookie } from '../connection/client-options.js';
import { type PlatformResponse } from '../connection/platform-response.js';
import { type VendorHeaders } from '../connection/headers.js';
import { SessionError } from '../../errors/error-classes.js';
import { SessionCookies } from './session-cookies.js';

/**
 * What a session holds: token, other vendor headers, cookies. Three counters identify late answers. A call notes them
 * when it starts and compares them when its response arrives:
 * - `sessionGeneration` changes whenever a session starts, ends or is restored. A response from an earlier one
 * changes nothing.
 * - `userGeneration` changes with it, except when the same user logs in again. Project lookups belong to it.
 * - `loginGeneration` changes whenever a session ends, is restored or is closed. A login from an earlier one is
 * logged out again.
 */
export class SessionState {
  /** The calls whose answers may still change what is held. */
  readonly pendingAnswers = new PendingAnswers();
  readonly #vendorHeaders: VendorHeaders;
  readonly #now: () => number;
  #otherHeaders = new Map<string, string>();
  // Changed here alone.
  token: string | undefined;
  cookies: SessionCookies;
  sessionGeneration = 0;
  userGeneration = 0;
  loginGeneration = 0;
  /** Changes whenever a token, a vendor header or a cookie was stored or discarded. */
  revision = 0;

  constructor(vendorHeaders: VendorHeaders, now: () => number) {
    this.#vendorHeaders = vendorHeaders;
    this.#now = now;
    this.cookies = new SessionCookies(now);
  }

  /** @throws SessionError when no token is held */
  requireToken(): void {
    if (this.token === undefined) throw new SessionError('There is no token: log in first.');
  }

  /** Vendor headers in a fixed order; the token header comes first if there is a token. */
  headers(): Record<string, string> {
    const others = [...this.#otherHeaders].sort(([a], [b]) => (a < b ? -1 : 1));
    const token: [string, string][] =
      this.token === undefined ? [] : [[this.#vendorHeaders.authToken, this.token]];
    return Object.fromEntries([...token, ...others]);
  }

  /**
   * Stores the cookies of a response to a request of the given session generation.
   * @param base where later requests go; undefined for a redirect, whose cookies may be meant for its target
   */
  storeCookies(
    sessionGeneration: number,
    response: PlatformResponse,
    onUnusable: (cookie: UnusableCookie) => void,
    base?: URL,
  ): void {
    if (sessionGeneration !== this.sessionGeneration) return;
    const { headers, url } = response;
    const fields = headers.valuesOf('set-cookie');
    if (fields.length === 0) return;
    const date = (): number => Date.parse(headers.valuesOf('date').join(', '));
    this.cookies.store(fields, { url: new URL(url), base, onUnusable, date });
    this.revision += 1;
  }

  /** Stores the vendor headers of a successful response; a well-formed token replaces the current one. */
  storeHeaders(sessionGeneration: number, response: PlatformResponse): void {
    if (sessionGeneration !== this.sessionGeneration) return;
    const { headers } = response;
    const token = this.#vendorHeaders.tokenOf(headers);
    const isNewToken = token !== undefined && token !== this.token;
    if (isNewToken) this.token = token;
    const hasNewHeader = this.#vendorHeaders.capture(this.#otherHeaders, headers.fields);
    if (isNewToken || hasNewHeader) this.revision += 1;
  }

  /**
   * Starts a session with the token, headers and cookies of one login response, whatever ran in parallel. Nothing of
   * what was stored before stays, since a token and its cookies belong together.
   * @param isSameUser whether the same user logged in again
   */
  start(
    token: string,
    response: PlatformResponse,
    onUnusable: (cookie: UnusableCookie) => void,
    base: URL,
    isSameUser = false,
  ): void {
    this.sessionGeneration += 1;
    if (!isSameUser) this.userGeneration += 1;
    if (this.revision > 0) {
      this.#otherHeaders = new Map();
      this.cookies = new SessionCookies(this.#now);
    }
    this.revision += 1;
    this.token = token;
    this.#vendorHeaders.capture(this.#otherHeaders, response.headers.fields);
    this.storeCookies(this.sessionGeneration, response, onUnusable, base);
  }

  /** Discards the token, if there is one, and its cookies; responses and logins in flight do not bring them back. */
  dropToken(): void {
    this.token = undefined;
    this.cookies = new SessionCookies(this.#now);
    this.#nextGeneration();
  }

  /** Keeps logins in flight from starting a session; the current state stays. */
  refuseLogins(): void {
    this.loginGeneration += 1;
  }

  /**
   * Replaces everything that is held.
   * @param isSameSession whether it is a later state of the same session, so that answers in flight may still change
   * it
   */
  replace(headers: Readonly<Record<string, string>>, cookies: SessionCookies, isSameSession: boolean): void {
    const fields = Object.entries(headers);
    const tokenField = this.#vendorHeaders.authToken.toLowerCase();
    this.token = fields.find(([name]) => name.toLowerCase() === tokenField)?.[1];
    this.#otherHeaders = new Map();
    this.#vendorHeaders.capture(this.#otherHeaders, fields);
    this.cookies = cookies;
    if (isSameSession) this.revision += 1;
    else this.#nextGeneration();
  }

  #nextGeneration(): void {
    this.revision += 1;
    this.sessionGeneration += 1;
    this.userGeneration += 1;
    this.loginGeneration += 1;
  }
}

/** The calls of one session whose answers have not been stored yet: any of them may renew its token or cookies. */
class PendingAnswers {
  /** Numbers of the calls, in the order in which they started. */
  readonly #calls = new Set<number>();
  readonly #waiting = new Set<() => void>();
  #last = 0;

  /** Counts a call until it has stored its answer. */
  async count<T>(call: () => Promise<T>): Promise<T> {
    const number = (this.#last += 1);
    this.#calls.add(number);
    try {
      return await call();
    } finally {
      this.#calls.delete(number);
      for (const check of this.#waiting) check();
    }
  }

  /** Resolves when a condition holds, or all calls that are in flight now have ended, or the signal aborts. */
  until(condition: () => boolean, signal?: AbortSignal | null): Promise<void> {
    const last = this.#last;
    const isOver = (): boolean =>
      condition() || signal?.aborted === true || (this.#oldest() ?? Infinity) > last;
    if (isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isOver()) return;
        this.#waiting.delete(check);
        signal?.removeEventListener('abort', check);
        resolve();
      };
      this.#waiting.add(check);
      signal?.addEventListener('abort', check);
    });
  }

  #oldest(): number | undefined {
    return this.#calls.values().next().value;
  }
}
