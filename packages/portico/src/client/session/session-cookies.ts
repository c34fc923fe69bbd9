import {
  canonicalDomain,
  Cookie,
  CookieJar,
  defaultPath,
  getPublicSuffix,
  MemoryCookieStore,
  pathMatch,
} from 'tough-cookie';
import { type UnusableCookie } from '../connection/client-options.js';
import { type SnapshotCookie, toCookie, toSnapshotCookie } from './session-snapshot.js';

const MAX_COOKIES = 50;
const MAX_TOTAL_BYTES = 8192;
const MAX_AGE_MS = 400 * 24 * 3600 * 1000;
/** A `Date` that is further off is not that of a clock. */
const MAX_CLOCK_DIFFERENCE_MS = 24 * 3600 * 1000;
const MAX_KEPT_HEADERS = 64;
/**
 * One would be enough to know that something is missing; with more, it is still known when one of them is set again.
 */
const MAX_WITHHELD = 8;
const MAX_WITHHELD_NAME = 256;

/** Where cookies came from, and where they are to go. */
export interface CookieSource {
  /** The URL that answered. */
  readonly url: URL;
  /** The `Date` of the answer, in milliseconds since the epoch; NaN without one. Asked for a cookie that expires. */
  readonly date?: () => number;
  /** Where later requests go; undefined for a redirect, whose cookies may be meant for its target. */
  readonly base?: URL | undefined;
  /** Called with each cookie that is dropped. */
  readonly onUnusable?: (cookie: UnusableCookie) => void;
}

/**
 * The cookies of one session, for one origin. At most 50 cookies, 4 KB each, 8 KB together (names and values). A
 * cookie beyond these limits, of another domain, or that no request would send is dropped, counted and reported;
 * those already held stay.
 */
export class SessionCookies {
  readonly #store = new MemoryCookieStore();
  readonly #jar = new CookieJar(this.#store, { rejectPublicSuffixes: true });
  readonly #now: () => number;
  /** By path and name: what the platform has set and no request sends, as an expired cookie without a value. */
  readonly #withheld = new Map<string, SnapshotCookie>();
  #dropped = 0;
  /** Whether a cookie was ever held: without one, the jar is not asked. */
  #isUsed = false;
  /** `Cookie` headers by URL, and how long each is valid; emptied whenever a cookie changes. */
  #headers = new Map<string, { readonly header: string; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many cookies from the platform were rejected. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Whether the platform has set a cookie that is not sent, because it was dropped, or has expired by our clock. What
   * the platform says about the session may then be due to that. A snapshot keeps it.
   */
  get areIncomplete(): boolean {
    return this.#withheld.size > 0;
  }

  /**
   * The `Cookie` header for a URL of the session's origin; empty when no cookie matches. The longest path comes
   * first, in whatever order the cookies came, so a restored session sends what the saved one sent.
   */
  headerFor(url: URL): string {
    if (!this.#isUsed) return '';
    const place = url.origin + url.pathname;
    const known = this.#headers.get(place);
    if (known !== undefined && this.#now() < known.until) return known.header;
    this.#removeExpired(url);
    const cookies = this.#jar.getCookiesSync(asOnTheWire(url), { expire: false }).sort(byPathLength);
    const header = cookies.map((cookie) => cookie.cookieString()).join('; ');
    if (this.#headers.size >= MAX_KEPT_HEADERS) this.#headers.clear();
    this.#headers.set(place, { header, until: Math.min(...cookies.map(endOf)) });
    return header;
  }

  /** Stores the `Set-Cookie` fields of a response. */
  store(fields: readonly string[], source: CookieSource): void {
    for (const field of fields) {
      const cookie = Cookie.parse(field);
      if (cookie !== undefined) this.#receive(cookie, source);
      else this.#drop(new Cookie({ key: field.split(/[=;]/, 1)[0]?.trim() ?? '' }), 'malformed', source);
    }
  }

  /** Adds a cookie with a name and a value only, bound to the host; false when it is rejected. */
  putPlain(name: string, value: string, url: URL): boolean {
    const cookie = new Cookie({ key: name, value, path: '/', secure: url.protocol === 'https:' });
    return this.#problemOf(cookie, url) === undefined && this.#put(cookie, url);
  }

  /** Adds a cookie of a snapshot; false when it belongs to another host or is rejected. */
  putWhole(saved: SnapshotCookie, url: URL): boolean {
    const cookie = toCookie(saved);
    if (!this.#isLive(cookie)) {
      this.#withhold(cookie, url);
      return true;
    }
    const isOurs = !saved.hostOnly || saved.domain === hostOf(url);
    return isOurs && this.#problemOf(cookie, url) === undefined && this.#put(cookie, url);
  }

  /** The live cookies, and what is withheld, in a fixed order, so that equal jars give equal lists. */
  list(): SnapshotCookie[] {
    const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
    const now = this.#now();
    const live = this.#all().filter((cookie) => endOf(cookie) > now);
    return [...live.map(toSnapshotCookie), ...this.#withheld.values()].sort(
      (a, b) => order(a.domain, b.domain) || order(a.path, b.path) || order(a.name, b.name),
    );
  }

  #receive(cookie: Cookie, source: CookieSource): void {
    const { url } = source;
    if (cookie.path?.[0] !== '/') cookie.path = defaultPath(url.pathname);
    this.#headers.clear();
    const mayEnd = cookie.maxAge !== null || cookie.expires instanceof Date;
    if (mayEnd && this.#makeAbsolute(cookie, source.date)) {
      this.#store.removeCookie(domainOf(cookie, url), cookie.path, cookie.key, () => undefined);
      this.#withheld.delete(identityOf(cookie));
      return;
    }
    const ifForeign = cookie.domain === null ? 'malformed' : 'domain';
    const problem =
      this.#problemOf(cookie, url, source.base) ?? (this.#put(cookie, url) ? undefined : ifForeign);
    if (problem !== undefined) this.#drop(cookie, problem, source);
  }

  #drop(cookie: Cookie, problem: UnusableCookie['problem'], { url, onUnusable }: CookieSource): void {
    this.#dropped += 1;
    this.#withhold(cookie, url);
    onUnusable?.({ name: cookie.key, problem });
  }

  #put(cookie: Cookie, url: URL): boolean {
    // As in browsers, a host that cannot share cookies with others may still name itself: `mstr`, or an address.
    const own = cookie.cdomain();
    if (own !== undefined && own === hostOf(url) && !canShareCookies(own)) cookie.domain = null;
    this.#headers.clear();
    const options = { ignoreError: true, now: new Date(this.#now()) };
    if (this.#jar.setCookieSync(cookie, asOnTheWire(url), options) === undefined) return false;
    this.#isUsed = true;
    this.#withheld.delete(identityOf(cookie));
    return true;
  }

  /**
   * Counts the age of a cookie from now: a relative one would start over with each restore, and an absolute one would
   * depend on how far the clocks of the platform and this process are apart. Returns whether the platform removes the
   * cookie.
   */
  #makeAbsolute(cookie: Cookie, dateOf: CookieSource['date']): boolean {
    const { maxAge, expires } = cookie;
    const now = this.#now();
    const given = dateOf?.() ?? NaN;
    const date = Math.abs(given - now) < MAX_CLOCK_DIFFERENCE_MS ? given : now;
    cookie.maxAge = null;
    const untilExpiry = expires instanceof Date ? expires.getTime() - date : Infinity;
    const age = maxAge === null ? untilExpiry : Number(maxAge) * 1000;
    if (age < Infinity) cookie.expires = new Date(now + Math.min(age, MAX_AGE_MS));
    return age <= 0;
  }

  #problemOf(cookie: Cookie, url: URL, base?: URL): UnusableCookie['problem'] | undefined {
    // Alone it is below the limits: a single cookie may have less.
    return cookieProblem(cookie, base) ?? (!this.#isUsed || this.#fits(cookie, url) ? undefined : 'limit');
  }

  #fits(cookie: Cookie, url: URL): boolean {
    const domain = domainOf(cookie, url);
    this.#removeExpired(url);
    const others = this.#all().filter(
      (held) => held.key !== cookie.key || held.domain !== domain || held.path !== cookie.path,
    );
    const total = others.reduce((sum, held) => sum + byteLength(held), byteLength(cookie));
    return others.length < MAX_COOKIES && total <= MAX_TOTAL_BYTES;
  }

  /** So that they do not accumulate. */
  #removeExpired(url: URL): void {
    for (const cookie of this.#all()) {
      if (this.#isLive(cookie)) continue;
      this.#store.removeCookie(cookie.domain ?? '', cookie.path ?? '/', cookie.key, () => undefined);
      this.#withhold(cookie, url);
    }
  }

  #all(): Cookie[] {
    let all: Cookie[] = [];
    if (this.#isUsed) this.#store.getAllCookies((_error, cookies) => (all = cookies ?? []));
    return all;
  }

  #isLive(cookie: Cookie): boolean {
    return endOf(cookie) > this.#now();
  }

  #withhold(cookie: Cookie, url: URL): void {
    if (this.#withheld.size >= MAX_WITHHELD) return;
    const name = isSendable(cookie) && cookie.key.length <= MAX_WITHHELD_NAME ? cookie.key : 'unreadable';
    const path =
      cookie.path?.startsWith('/') === true && cookie.path.length <= MAX_WITHHELD_NAME ? cookie.path : '/';
    this.#withheld.set(`${path} ${name}`, {
      ...{ name, value: '', domain: hostOf(url), path, hostOnly: true, secure: false, httpOnly: true },
      expires: new Date(0).toISOString(),
    });
  }
}

/** The jar decodes paths before it compares them, but browsers and platforms compare them as they are on the wire. */
function asOnTheWire(url: URL): string {
  return url.origin + url.pathname.replaceAll('%', '%25');
}

function hostOf(url: URL): string {
  return canonicalDomain(url.hostname) ?? '';
}

function domainOf(cookie: Cookie, url: URL): string {
  return cookie.cdomain() ?? hostOf(url);
}

function canShareCookies(host: string): boolean {
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) !== undefined;
}

function identityOf({ path, key }: Cookie): string {
  return `${path ?? '/'} ${key}`;
}

/** Longest path first (RFC 6265, 5.4), then in a fixed order, which a snapshot keeps. */
function byPathLength(a: Cookie, b: Cookie): number {
  const orderOf = ({ domain, path, key }: Cookie): string => `${domain ?? ''} ${path ?? ''} ${key}`;
  return (b.path?.length ?? 0) - (a.path?.length ?? 0) || (orderOf(a) < orderOf(b) ? -1 : 1);
}

function endOf(cookie: Cookie): number {
  return cookie.expiryTime() ?? Infinity;
}

function byteLength({ key, value }: Cookie): number {
  return key.length + value.length;
}

/** Of a name and its value, as in browsers. */
const MAX_COOKIE_BYTES = 4096;

/**
 * Why a cookie cannot be sent at all, or would be sent with no request below the base URL; undefined when some
 * request sends it.
 * @param base undefined: any URL of the origin may be asked
 */
function cookieProblem(cookie: Cookie, base?: URL): UnusableCookie['problem'] | undefined {
  const { key, value, secure, path } = cookie;
  if (!isSendable(cookie)) return 'malformed';
  if (key.length + value.length > MAX_COOKIE_BYTES) return 'size';
  if (base === undefined) return undefined;
  if (secure && base.protocol === 'http:' && !isLoopback(base.hostname)) return 'secure';
  const isUsed = path === null || pathMatch(base.pathname, path) || path.startsWith(base.pathname);
  return isUsed ? undefined : 'path';
}

/** Whether a cookie can be sent in a `Cookie` header; a snapshot may contain anything. */
function isSendable({ key, value }: Cookie): boolean {
  return (
    /^[!#$%&'*+\-.^_`|~\w()/:<>?@[\]{}\\"]+$/.test(key) && /^[\t\x20-\x3A\x3C-\x7E\x80-\xFF]*$/.test(value)
  );
}

/** There, as in browsers, a `Secure` cookie is also sent without TLS. */
function isLoopback(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}
