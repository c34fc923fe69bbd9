import { UnclearHeaderError } from './unclear-header-error.js';

/** Paths that need no parser: that would take longer than all else that is read of most requests. */
const PLAIN_PATH = /^(?:\/[a-z0-9-]+)+$/;
/** The form in which clients ask a proxy; servers have to take it too (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\//i;

/**
 * Checks the target of a request, which may name a host besides the one in `Host`. Some readers take one and some the other, so
 * both have to be the same. A fragment is for browsers: a reader that knows none takes it for a part of the path.
 *
 * @param host as it came in the request.
 * @throws UnclearHeaderError
 */
export function requireOneTarget(target: string, host: string): void {
  if (PLAIN_PATH.test(target)) return;
  // Later code makes a URL of it.
  if (target.includes('#') || !URL.canParse(target, 'http://host.invalid')) {
    throw new UnclearHeaderError('The URL of the request cannot be read');
  }
  if (!ABSOLUTE.test(target)) return;
  const { protocol, origin, username, password } = new URL(target);
  if (URL.parse(`${protocol}//${host}`)?.origin !== origin || username !== '' || password !== '') {
    throw new UnclearHeaderError('The URL of the request names another host than its Host header');
  }
}
