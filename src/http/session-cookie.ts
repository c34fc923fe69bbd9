import { stringifySetCookie } from 'cookie';
import { type CookieChange } from '../session/request-context.js';

/** Browsers accept `Secure` cookies over plain http only from these hosts. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** How the session cookie is named and set on one connection. */
export interface SessionCookie {
  readonly name: string;
  readonly secure: boolean;
}

/**
 * The `__Host-` prefix and `Secure` wherever browsers accept them: behind TLS and on this machine.
 *
 * @param protocol as the browser used it, so behind a proxy the forwarded one.
 */
export function sessionCookie(protocol: string, hostname: string): SessionCookie {
  const secure = protocol === 'https' || LOOPBACK.test(hostname);
  return { name: secure ? '__Host-portico' : 'portico', secure };
}

/** The one `Set-Cookie` of an answer. */
export function setCookieHeader({ name, secure }: SessionCookie, change: CookieChange): string {
  const [value, expires] =
    change === 'clear' ? ['', new Date(0)] : [change.handle, new Date(change.expiresAt)];
  return stringifySetCookie({ name, value, expires, path: '/', httpOnly: true, secure, sameSite: 'lax' });
}
