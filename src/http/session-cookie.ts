import { stringifySetCookie } from 'cookie';
import { type CookieChange } from '../session/request-context.js';

/** Browsers accept `Secure` cookies over plain http only from these hosts. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

const LAX = { sameSite: 'lax' } as const;

/** `lax`: from the service's own site only; `none`: also from pages that another site frames. */
export type CookieSite = 'lax' | 'none';

/** How the session cookie is named and set on one connection. */
export interface SessionCookie {
  readonly name: string;
  readonly secure: boolean;
  /** Whether it is also sent from a page that another site frames, in a partition of that site. */
  readonly crossSite?: boolean | undefined;
}

/**
 * The `__Host-` prefix and `Secure` wherever browsers accept them: behind TLS and on this machine.
 *
 * @param protocol as the browser used it, so behind a proxy the forwarded one.
 * @param site `none` for pages that another site frames; browsers accept that for `Secure` cookies only.
 */
export function sessionCookie(protocol: string, hostname: string, site: CookieSite = 'lax'): SessionCookie {
  const secure = protocol === 'https' || LOOPBACK.test(hostname);
  const crossSite = site === 'none' && secure ? true : undefined;
  return { name: secure ? '__Host-portico' : 'portico', secure, crossSite };
}

/**
 * The one `Set-Cookie` of an answer. Its end is in `Max-Age`, since the clock of a browser may be wrong, and in
 * `Expires` for what does not know that.
 */
export function setCookieHeader({ name, secure, crossSite }: SessionCookie, change: CookieChange): string {
  const { handle: value, seconds: maxAge } = typeof change === 'string' ? { handle: '', seconds: 0 } : change;
  const expires = new Date(maxAge === 0 ? 0 : Date.now() + maxAge * 1000);
  const reach = crossSite === true ? ({ sameSite: 'none', partitioned: true } as const) : LAX;
  return stringifySetCookie({ name, value, maxAge, expires, path: '/', httpOnly: true, secure, ...reach });
}
