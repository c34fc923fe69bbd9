import { readBaseUrl } from '../connection/paths.js';
import { SessionCookies } from './session-cookies.js';
import { invalidSnapshot, type RestorableSnapshot, type SnapshotCookie } from './session-snapshot.js';
import { isFieldValue, type VendorHeaders } from '../connection/headers.js';

/**
 * Options for restoring a snapshot.
 * @example
 * const options: RestoreOptions = { isSameSession: true };
 * session.updateFromJson(session.json(), options);
 */
export interface RestoreOptions {
  /**
   * Accept a snapshot of another base URL, and use that URL from then on. Default false: such a snapshot is rejected.
   */
  acceptOtherBaseUrl?: boolean;
  /**
   * The snapshot is a later state of the session that is held, as another process saw it: answers in flight still
   * count. Default false: it is another session, which they must not change.
   */
  isSameSession?: boolean;
}

/** A fully checked snapshot, ready to replace the state of a session. */
export interface RestoredState {
  readonly baseUrl: URL;
  readonly cookies: SessionCookies;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Checks every part of a snapshot before any of it is used.
 * @param expected the base URL that the snapshot must have; undefined accepts any
 * @throws SessionError when the snapshot belongs to another platform or a part cannot be restored
 */
export function restoreState(
  snapshot: RestorableSnapshot,
  expected: URL | undefined,
  vendorHeaders: VendorHeaders,
  now: () => number,
): RestoredState {
  const baseUrl = snapshotBaseUrl(snapshot.base_url);
  if (expected !== undefined && baseUrl.href !== expected.href) {
    throw invalidSnapshot('belongs to another base URL');
  }
  const tokens = Object.entries(snapshot.headers).filter(
    ([name]) => name.toLowerCase() === vendorHeaders.authToken.toLowerCase(),
  );
  if (tokens.length > 1 || !tokens.every(([, token]) => isFieldValue(token))) {
    throw invalidSnapshot('has a malformed token');
  }
  if (tokens.length === 0 && hasTokenOfAnotherVendor(snapshot.headers)) {
    throw invalidSnapshot('has the token of another vendor');
  }
  return { baseUrl, cookies: restoreCookies(snapshot.cookies, baseUrl, now), headers: snapshot.headers };
}

function hasTokenOfAnotherVendor(headers: RestorableSnapshot['headers']): boolean {
  return Object.keys(headers).some((name) => /^x-[a-z\d]+-authtoken$/i.test(name));
}

/**
 * The base URL of a snapshot.
 * @throws SessionError when it is unusable
 */
export function snapshotBaseUrl(text: string): URL {
  try {
    return readBaseUrl(text);
  } catch {
    throw invalidSnapshot('has an unusable base URL');
  }
}

function restoreCookies(saved: RestorableSnapshot['cookies'], url: URL, now: () => number): SessionCookies {
  const cookies = new SessionCookies(now);
  const isWhole = Array.isArray as (value: unknown) => value is readonly SnapshotCookie[];
  const taken = isWhole(saved)
    ? saved.map((cookie) => cookies.putWhole(cookie, url))
    : Object.entries(saved).map(([name, value]) => cookies.putPlain(name, value, url));
  if (taken.includes(false)) throw invalidSnapshot('has a cookie that cannot be restored');
  return cookies;
}
