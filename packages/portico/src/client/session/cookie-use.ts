import { type Cookie, pathMatch } from 'tough-cookie';
import { type UnusableCookie } from '../connection/client-options.js';

/** What the cookies are for. */
export interface CookieUse {
  readonly base: URL;
  readonly onUnusable: (cookie: UnusableCookie) => void;
}

/** Why no request below the base URL would send a cookie; undefined when some would. */
export function cookieProblem({ secure, path }: Cookie, base: URL): UnusableCookie['problem'] | undefined {
  if (secure && base.protocol === 'http:' && !isLoopback(base.hostname)) return 'secure';
  const isUsed = path === null || pathMatch(base.pathname, path) || path.startsWith(base.pathname);
  return isUsed ? undefined : 'path';
}

/** There, as in browsers, a `Secure` cookie is also sent without TLS. */
function isLoopback(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}
