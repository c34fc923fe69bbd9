import { readBaseUrl } from '../../connection/base-url.js';
import { SessionError } from '../../errors/error-classes.js';
import { SessionCookies } from './session-cookies.js';
import { type RestorableSnapshot, type SnapshotCookie } from './session-snapshot.js';
import { isFieldValue, type VendorHeaders } from '../../connection/vendor-headers.js';

/** A snapshot that was checked whole, ready to take the place of a session's state. */
export interface RestoredState {
  readonly baseUrl: URL;
  readonly cookies: SessionCookies;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Checks every part of a snapshot before any of it is used.
 * @param expected the base URL that the snapshot must name; undefined takes any
 * @throws SessionError when the snapshot names another platform or holds what cannot be restored
 */
export function restoreState(
  snapshot: RestorableSnapshot,
  expected: URL | undefined,
  vendorHeaders: VendorHeaders,
  now: () => number,
): RestoredState {
  const baseUrl = snapshotBaseUrl(snapshot.base_url);
  if (expected !== undefined && baseUrl.href !== expected.href) {
    throw new SessionError('The session snapshot belongs to another base URL.');
  }
  const tokens = Object.entries(snapshot.headers).filter(
    ([name]) => name.toLowerCase() === vendorHeaders.authToken.toLowerCase(),
  );
  if (tokens.length > 1 || !tokens.every(([, token]) => isFieldValue(token))) {
    throw new SessionError('The session snapshot holds a malformed token.');
  }
  return { baseUrl, cookies: restoreCookies(snapshot.cookies, baseUrl, now), headers: snapshot.headers };
}

/**
 * The base URL that a snapshot names.
 * @throws SessionError when it cannot be used
 */
export function snapshotBaseUrl(text: string): URL {
  try {
    return readBaseUrl(text);
  } catch {
    throw new SessionError('The session snapshot names a base URL that cannot be used.');
  }
}

function restoreCookies(saved: RestorableSnapshot['cookies'], url: URL, now: () => number): SessionCookies {
  const cookies = new SessionCookies(now);
  const isWhole = Array.isArray as (value: unknown) => value is readonly SnapshotCookie[];
  const taken = isWhole(saved)
    ? saved.map((cookie) => cookies.putWhole(cookie, url))
    : Object.entries(saved).map(([name, value]) => cookies.putPlain(name, value, url));
  if (taken.includes(false))
    throw new SessionError('The session snapshot holds a cookie that cannot be restored.');
  return cookies;
}
