import { Cookie, CookieJar, MemoryCookieStore, canonicalDomain, defaultPath } from 'tough-cookie';
import { cookieProblem, type CookieUse } from './cookie-use.js';
import { byPathLength, isSendable, toCookie, toSnapshotCookie } from './snapshot-cookie.js';
import { type SnapshotCookie } from './session-snapshot.js';

const MAX_COOKIES = 50;
const MAX_COOKIE_BYTES = 4096;
const MAX_TOTAL_BYTES = 8192;
const MAX_AGE_SECONDS = 400 * 24 * 3600;
const MAX_KEPT_HEADERS = 64;

/**
 * The cookies of one session, for one origin. At most 50 cookies, 4 KB each, 8 KB together (names and values). A cookie beyond
 * these limits, of another domain, or that no request would send is dropped and counted; the cookies already held stay.
 */
export class SessionCookies {
  readonly #store = new MemoryCookieStore();
  readonly #jar = new CookieJar(this.#store, { rejectPublicSuffixes: true });
  readonly #now: () => number;
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
   * The `Cookie` header for a URL of the session's origin; empty when no cookie matches. The longest path comes first, in
   * whatever order the cookies came, so a restored session sends what the saved one sent.
   */
  headerFor(url: URL): string {
    if (!this.#isUsed) return '';
    const place = url.origin + url.pathname;
    const known = this.#headers.get(place);
    if (known !== undefined && this.#now() < known.until) return known.header;
    const cookies = this.#jar
      .getCookiesSync(url.href, { expire: false })
      .filter((cookie) => this.#isLive(cookie))
      .sort(byPathLength);
    const header = cookies.map((cookie) => cookie.cookieString()).join('; ');
    if (this.#headers.size >= MAX_KEPT_HEADERS) this.#headers.clear();
    this.#headers.set(place, { header, until: Math.min(...cookies.map(endOf)) });
    return header;
  }

  /** Stores the `Set-Cookie` fields of a response. */
  store(fields: readonly string[], url: URL, use?: CookieUse): void {
    for (const field of fields) {
      const cookie = field.length <= MAX_COOKIE_BYTES ? Cookie.parse(field) : undefined;
      if (cookie === undefined || !this.#put(cookie, url, use)) this.#dropped += 1;
    }
  }

  /** Adds a cookie with a name and a value only, bound to the host; false when it is rejected. */
  putPlain(name: string, value: string, url: URL): boolean {
    return this.#put(new Cookie({ key: name, value, path: '/', secure: url.protocol === 'https:' }), url);
  }

  /** Adds a cookie of a snapshot; false when it belongs to another host or is rejected. */
  putWhole(saved: SnapshotCookie, url: URL): boolean {
    const isOurs = !saved.hostOnly || saved.domain === canonicalDomain(url.hostname);
    return isOurs && this.#put(toCookie(saved), url);
  }

  /** Live cookies in a fixed order, so that equal jars give equal lists. */
  list(): SnapshotCookie[] {
    const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
    return this.#live()
      .map(toSnapshotCookie)
      .sort((a, b) => order(a.domain, b.domain) || order(a.path, b.path) || order(a.name, b.name));
  }

  #put(cookie: Cookie, url: URL, use?: CookieUse): boolean {
    if (!isSendable(cookie)) return false;
    this.#makeAbsolute(cookie);
    if (cookie.path?.[0] !== '/') cookie.path = defaultPath(url.pathname);
    const domain = cookie.cdomain() ?? canonicalDomain(url.hostname) ?? '';
    this.#headers.clear();
    if (!this.#isLive(cookie)) {
      this.#remove(domain, cookie.path, cookie.key);
      return true;
    }
    const problem = use && cookieProblem(cookie, use.base);
    if (problem !== undefined) {
      use?.onUnusable({ name: cookie.key, problem });
      return false;
    }
    if (!this.#fits(cookie, domain)) return false;
    const now = new Date(this.#now());
    this.#isUsed = true;
    return this.#jar.setCookieSync(cookie, url.href, { ignoreError: true, now }) !== undefined;
  }

  /** A relative age would start over with each restore. */
  #makeAbsolute(cookie: Cookie): void {
    if (cookie.maxAge === null) return;
    const seconds = Math.max(0, Math.min(Number(cookie.maxAge), MAX_AGE_SECONDS));
    cookie.expires = seconds === 0 ? new Date(0) : new Date(this.#now() + seconds * 1000);
    cookie.maxAge = null;
  }

  #fits(cookie: Cookie, domain: string): boolean {
    const others = this.#live().filter(
      (held) => held.key !== cookie.key || held.domain !== domain || held.path !== cookie.path,
    );
    const total = others.reduce((sum, held) => sum + byteLength(held), byteLength(cookie));
    return others.length < MAX_COOKIES && total <= MAX_TOTAL_BYTES && byteLength(cookie) <= MAX_COOKIE_BYTES;
  }

  /** The cookies that have not expired; expired ones are removed, so they do not accumulate. */
  #live(): Cookie[] {
    if (!this.#isUsed) return [];
    let all: Cookie[] = [];
    this.#store.getAllCookies((_error, cookies) => (all = cookies ?? []));
    return all.filter((cookie) => {
      if (this.#isLive(cookie)) return true;
      this.#remove(cookie.domain ?? '', cookie.path ?? '/', cookie.key);
      return false;
    });
  }

  #remove(domain: string, path: string, key: string): void {
    this.#store.removeCookie(domain, path, key, () => undefined);
  }

  #isLive(cookie: Cookie): boolean {
    return endOf(cookie) > this.#now();
  }
}

function endOf(cookie: Cookie): number {
  return cookie.expiryTime() ?? Infinity;
}

function byteLength({ key, value }: Cookie): number {
  return key.length + value.length;
}
