import { concealed } from './redacted.js';
import { SessionError } from '../../errors/error-classes.js';

/** One cookie, whole. */
export interface SnapshotCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** Whether the cookie goes to exactly this host and not to hosts below it. */
  hostOnly: boolean;
  secure: boolean;
  httpOnly: boolean;
  sameSite?: string;
  /** End of life, ISO 8601; absent for a cookie that ends with the session. */
  expires?: string;
}

/**
 * The state of a session as plain data (spec: Session snapshot), exactly these three keys. It is as good as a password
 * while the session lives: `JSON.stringify` writes it out, inspection and string conversion do not.
 */
export interface SessionSnapshot {
  /** REST root, with its final `/`. */
  base_url: string;
  /** Cookies held, in a fixed order. */
  cookies: readonly SnapshotCookie[];
  /** Captured vendor headers, the token header among them. */
  headers: Readonly<Record<string, string>>;
}

/** What can be restored: a snapshot, also one whose cookies are a plain name-to-value map. */
export interface RestorableSnapshot {
  /** REST root, with or without its final `/`. */
  base_url: string;
  /** Cookies whole, or values by name: those are bound to the host of the base URL. */
  cookies: readonly SnapshotCookie[] | Readonly<Record<string, string>>;
  /** Vendor headers by any capitals; others are left out. */
  headers: Readonly<Record<string, string>>;
}

/** Makes the snapshot; inspection and string conversion of it and of its parts show no value. */
export function makeSnapshot(
  baseUrl: string,
  cookies: readonly SnapshotCookie[],
  headers: Readonly<Record<string, string>>,
): SessionSnapshot {
  return concealed(
    {
      base_url: baseUrl,
      cookies: concealed(
        cookies.map((cookie) => concealed({ ...cookie }, `cookie ${cookie.name}`)),
        'cookies',
      ),
      headers: concealed({ ...headers }, 'headers'),
    },
    'SessionSnapshot',
  );
}

/**
 * Reads a snapshot from an object or a JSON text. Only its outer shape is checked here.
 * @throws SessionError when it is not JSON, not an object, or lacks a key (spec: Errors, rule 4)
 */
export function readSnapshot(source: unknown): RestorableSnapshot {
  const data = typeof source === 'string' ? parseJson(source) : source;
  if (!isRecord(data)) throw new SessionError('The session snapshot is not an object.');
  for (const key of ['base_url', 'cookies', 'headers']) {
    if (!Object.hasOwn(data, key)) throw new SessionError(`The session snapshot lacks "${key}".`);
  }
  const { base_url: baseUrl, cookies, headers } = data;
  if (typeof baseUrl !== 'string')
    throw new SessionError('"base_url" of the session snapshot is not a text.');
  if (!isTextMap(headers))
    throw new SessionError('"headers" of the session snapshot are not a map of texts.');
  if (!isTextMap(cookies) && !isCookieList(cookies)) {
    throw new SessionError(
      '"cookies" of the session snapshot are neither a list of cookies nor a map of texts.',
    );
  }
  return { base_url: baseUrl, cookies, headers };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SessionError('The session snapshot is not JSON.');
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextMap(value: unknown): value is Record<string, string> {
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
