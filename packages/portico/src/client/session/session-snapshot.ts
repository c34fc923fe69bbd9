import { inspect } from 'node:util';
import { Cookie } from 'tough-cookie';
import { SessionError } from '../../errors/error-classes.js';
import { isRecord } from '../../errors/read-json.js';

/**
 * One cookie with all its attributes.
 * @example
 * const [cookie]: readonly SnapshotCookie[] = session.toDict().cookies;
 * console.log(cookie?.name); // JSESSIONID
 */
export interface SnapshotCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** Whether the cookie is sent to exactly this host and not to its subdomains. */
  hostOnly: boolean;
  secure: boolean;
  httpOnly: boolean;
  sameSite?: string;
  /**
   * Expiry, ISO 8601; absent for a cookie that ends with the session. An expired one, without a value, was set but
   * not sent.
   */
  expires?: string;
}

/**
 * The state of a session as plain data (spec: Session snapshot), exactly these three keys. Protect it like a password
 * while the session lives: `JSON.stringify` writes all of it, inspection and string conversion show only a label.
 * @example
 * const snapshot: SessionSnapshot = session.toDict();
 * console.log(Object.keys(snapshot)); // [ 'base_url', 'cookies', 'headers' ]
 */
export interface SessionSnapshot {
  /** REST root, with its final `/`. */
  base_url: string;
  /** Cookies held, in a fixed order. */
  cookies: readonly SnapshotCookie[];
  /** Captured vendor headers, the token header among them. */
  headers: Readonly<Record<string, string>>;
}

/**
 * What can be restored: a snapshot, including one whose cookies are a plain name-to-value map.
 * @example
 * const snapshot: RestorableSnapshot = { base_url: baseUrl, cookies: { JSESSIONID: '1' }, headers: {} };
 * client.restoreSession(snapshot);
 */
export interface RestorableSnapshot {
  /** REST root, with or without its final `/`. */
  base_url: string;
  /** Cookies with all attributes, or values by name, which are bound to the host of the base URL. */
  cookies: readonly SnapshotCookie[] | Readonly<Record<string, string>>;
  /** Vendor headers in any letter case; other headers are ignored. */
  headers: Readonly<Record<string, string>>;
}

/** Makes inspection and string conversion of a new snapshot and of its parts show no value. */
export function redacted({ base_url, cookies, headers }: SessionSnapshot): SessionSnapshot {
  return redact(
    {
      base_url,
      cookies: redact(
        cookies.map((cookie) => redact({ ...cookie }, `cookie ${cookie.name}`)),
        'cookies',
      ),
      headers: redact({ ...headers }, 'headers'),
    },
    'SessionSnapshot',
  );
}

/**
 * Makes inspection and string conversion of plain data show a label; only `JSON.stringify` writes its values. The
 * hooks are not enumerable, so the data stays plain; a copy (spread, structuredClone) does not have them.
 */
function redact<T extends object>(data: T, label: string): T {
  const show = { value: () => `[${label}]`, enumerable: false };
  return Object.defineProperties(data, { [inspect.custom]: show, toString: show });
}

export function toSnapshotCookie(cookie: Cookie): SnapshotCookie {
  const { key, value, domain, path, hostOnly, secure, httpOnly, sameSite, expires } = cookie;
  return {
    name: key,
    value,
    domain: domain ?? '',
    path: path ?? '/',
    hostOnly: hostOnly ?? false,
    secure,
    httpOnly,
    ...(sameSite === undefined ? {} : { sameSite }),
    ...(expires instanceof Date && !Number.isNaN(expires.getTime())
      ? { expires: expires.toISOString() }
      : {}),
  };
}

export function toCookie(saved: SnapshotCookie): Cookie {
  const { name: key, value, domain, path, hostOnly, secure, httpOnly, sameSite, expires } = saved;
  return new Cookie({
    key,
    value,
    path,
    secure,
    httpOnly,
    ...(hostOnly ? {} : { domain }),
    ...(sameSite === undefined ? {} : { sameSite }),
    ...(expires === undefined ? {} : { expires: new Date(expires) }),
  });
}

/**
 * Reads a snapshot from an object or JSON text. This checks only its outer shape.
 * @throws SessionError when it is not JSON, not an object, or lacks a key (spec: Errors, rule 4)
 */
export function readSnapshot(source: unknown): RestorableSnapshot {
  const data = typeof source === 'string' ? parseJson(source) : source;
  if (!isRecord(data)) throw invalidSnapshot('is not an object');
  for (const key of ['base_url', 'cookies', 'headers']) {
    if (!Object.hasOwn(data, key)) throw invalidSnapshot(`lacks "${key}"`);
  }
  const { base_url: baseUrl, cookies, headers } = data;
  if (typeof baseUrl !== 'string') throw invalidSnapshot('has a "base_url" that is not a string');
  if (!isStringMap(headers)) throw invalidSnapshot('has "headers" that are not a map of strings');
  if (!isStringMap(cookies) && !isCookieList(cookies)) {
    throw invalidSnapshot('has "cookies" that are neither a list of cookies nor a map of strings');
  }
  return { base_url: baseUrl, cookies, headers };
}

/** The error for a snapshot that cannot be restored. */
export function invalidSnapshot(problem: string): SessionError {
  return new SessionError(`The session snapshot ${problem}.`, {}, 'invalid-snapshot');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidSnapshot('is not JSON');
  }
}

function isStringMap(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isCookieList(value: unknown): value is SnapshotCookie[] {
  return Array.isArray(value) && value.every(isCookie);
}

function isCookie(value: unknown): value is SnapshotCookie {
  if (!isRecord(value)) return false;
  const texts = [value.name, value.value, value.domain, value.path];
  const flags = [value.hostOnly, value.secure, value.httpOnly];
  return (
    texts.every((text) => typeof text === 'string') &&
    flags.every((flag) => typeof flag === 'boolean') &&
    [value.sameSite, value.expires].every((text) => text === undefined || typeof text === 'string') &&
    (value.expires === undefined || !Number.isNaN(Date.parse(value.expires as string)))
  );
}
