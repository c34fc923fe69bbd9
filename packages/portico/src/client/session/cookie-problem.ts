import { type Cookie, pathMatch } from 'tough-cookie';
import { type UnusableCookie } from '../connection/client-options.js';

/** Of a name and its value, as in browsers. */
const MAX_COOKIE_BYTES = 4096;

/**
 * Why a cookie cannot be sent at all, or would be sent with no request below the base URL; undefined when some
 * request sends it.
 * @param base undefined: any URL of the origin may be asked
 */
export function cookieProblem(cookie: Cookie, base?: URL): UnusableCookie['problem'] | undefined {
  const { key, value, secure, path } = cookie;
  if (!isSendable(cookie)) return 'malformed';
  if (key.length + value.length > MAX_COOKIE_BYTES) return 'size';
  if (base === undefined) return undefined;
  if (secure && base.protocol === 'http:' && !isLoopback(base.hostname)) return 'secure';
  const isUsed = path === null || pathMatch(base.pathname, path) || path.startsWith(base.pathname);
  return isUsed ? undefined : 'path';
}

/** Whether a cookie can be sent in a `Cookie` header; a snapshot may contain anything. */
export function isSendable({ key, value }: Cookie): boolean {
  return (
    /^[!#$%&'*+\-.^_`|~\w()/:<>?@[\]{}\\"]+$/.test(key) && /^[\t\x20-\x3A\x3C-\x7E\x80-\xFF]*$/.test(value)
  );
}

/** There, as in browsers, a `Secure` cookie is also sent without TLS. */
function isLoopback(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}
