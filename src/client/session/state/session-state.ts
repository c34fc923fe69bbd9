import { SessionError } from '../../errors/error-classes.js';
import { type PlatformResponse } from '../../connection/response/platform-response.js';
import { SessionCookies } from './session-cookies.js';
import { type VendorHeaders } from '../../connection/vendor-headers.js';

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
  #user = 0;
  #ends = 0;

  constructor(vendorHeaders: VendorHeaders, now: () => number) {
    this.#vendorHeaders = vendorHeaders;
    this.#cookies = new SessionCookies(now);
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** @throws SessionError when no token is held */
  requireToken(): void {
    if (this.#token === undefined) throw new SessionError('No token is held; log in first.');
  }

  /** Changes whenever a session begins, ends or is restored. */
  get era(): number {
    return this.#era;
  }

  /** Changes with the era, except where the same user was logged in anew. */
  get user(): number {
    return this.#user;
  }

  /** Changes whenever a session is ended or restored: a login that was under way then came too late. */
  get ends(): number {
    return this.#ends;
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
  takeCookies(era: number, response: PlatformResponse): void {
    if (era === this.#era) this.#cookies.take(response.headerValues('set-cookie'), new URL(response.url));
  }

  /** Keeps the vendor headers of a success; a well-formed token takes the place of the present one. */
  takeHeaders(era: number, response: PlatformResponse): void {
    if (era !== this.#era) return;
    const token = this.#vendorHeaders.tokenOf(response.headers);
    if (token !== undefined) this.#token = token;
    this.#vendorHeaders.capture(this.#others, response.headers.fields);
  }

  /**
   * Begins a session: the token, headers and cookies of one login answer together, whatever ran beside it.
   * @param renews whether it is the same user, logged in anew
   */
  begin(token: string, response: PlatformResponse, renews = false): void {
    this.#era += 1;
    if (!renews) this.#user += 1;
    this.#token = token;
    this.#others = new Map();
    this.takeHeaders(this.#era, response);
    this.takeCookies(this.#era, response);
  }

  /** Forgets the token, if there is one; what is under way brings none. */
  dropToken(): void {
    this.#token = undefined;
    this.#era += 1;
    this.#user += 1;
    this.#ends += 1;
  }

  /** Lets no login that is under way begin a session; what is held stays. */
  refuseLogins(): void {
    this.#ends += 1;
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
    this.#user += 1;
    this.#ends += 1;
  }
}
