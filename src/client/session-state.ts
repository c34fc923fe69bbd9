import type { PlatformResponse } from './platform-response.js';
import { SessionCookies } from './session-cookies.js';
import type { VendorHeaders } from './vendor-headers.js';

/**
 * What a session holds: token, other vendor headers, cookies. Each login, logout and restore begins a new era; what an
 * answer brings is kept only when its request began in the present one, so that nothing late revives a session.
 */
export class SessionState {
  readonly #vendorHeaders: VendorHeaders;
  #token: string | undefined;
  #others = new Map<string, string>();
  #cookies: SessionCookies;
  #era = 0;

  constructor(vendorHeaders: VendorHeaders, now: () => number) {
    this.#vendorHeaders = vendorHeaders;
    this.#cookies = new SessionCookies(now);
  }

  get token(): string | undefined {
    return this.#token;
  }

  get era(): number {
    return this.#era;
  }

  get cookies(): SessionCookies {
    return this.#cookies;
  }

  /** Vendor headers in a fixed order, the token header first when there is a token. */
  headers(): Record<string, string> {
    const others = [...this.#others].sort(([a], [b]) => (a < b ? -1 : 1));
    const token: [string, string][] =
      this.#token === undefined ? [] : [[this.#vendorHeaders.authToken, this.#token]];
    return Object.fromEntries([...token, ...others]);
  }

  /** Keeps the cookies of an answer to a request of the given era. */
  takeCookies(era: number, response: PlatformResponse, url: URL): void {
    if (era === this.#era) this.#cookies.take(response.headerValues('set-cookie'), url);
  }

  /** Keeps the vendor headers of a success; a well-formed token takes the place of the present one. */
  takeHeaders(era: number, response: PlatformResponse): void {
    if (era !== this.#era) return;
    const token = this.#vendorHeaders.tokenOf(response.headers);
    if (token !== undefined) this.#token = token;
    this.#vendorHeaders.capture(this.#others, response.headers.fields);
  }

  /** Begins a session: the token, headers and cookies of one login answer together, whatever ran beside it. */
  begin(token: string, response: PlatformResponse, url: URL): void {
    this.#era += 1;
    this.#token = token;
    this.#others = new Map();
    this.takeHeaders(this.#era, response);
    this.takeCookies(this.#era, response, url);
  }

  /** Forgets the token; no-op without one. */
  dropToken(): void {
    if (this.#token === undefined) return;
    this.#token = undefined;
    this.#era += 1;
  }

  /** Takes the place of all that is held. */
  replace(headers: Readonly<Record<string, string>>, cookies: SessionCookies): void {
    const fields = Object.entries(headers);
    const tokenField = this.#vendorHeaders.authToken.toLowerCase();
    this.#token = fields.find(([name]) => name.toLowerCase() === tokenField)?.[1];
    this.#others = new Map();
    this.#vendorHeaders.capture(this.#others, fields);
    this.#cookies = cookies;
    this.#era += 1;
  }
}
