import { isHandle } from '../session/handle.js';
import { type PresentedHandle } from '../session/request-context.js';
import { UnclearHeaderError } from './host.js';

type Header = string | string[] | undefined;

/** What a request contains to show whose it is. */
export interface Presented {
  /** The handle that counts. */
  readonly handle: PresentedHandle | undefined;
  /** Whether there is a bearer token that cannot be a handle, so it is meant for another service. */
  readonly foreignBearer: boolean;
  /** Whether there is a session cookie, whatever its value: then a browser may have sent the request on its own. */
  readonly withCookie: boolean;
}

/**
 * The handle of a request, from the bearer header or the cookie. With both, the bearer handle counts: no foreign page
 * can make a browser send one. A value that cannot be a handle counts as no handle.
 *
 * @throws UnclearHeaderError for a session cookie that occurs twice or whose name has white space around it
 */
export function presentedHandle(bearer: Header, cookies: Header, cookieName: string): Presented {
  const token = bearerToken(bearer);
  const cookie = cookieValue(cookies, cookieName);
  const foreignBearer = token !== undefined && !isHandle(token);
  const withCookie = cookie !== undefined;
  if (token !== undefined && !foreignBearer) {
    return { handle: { handle: token, transport: 'bearer' }, foreignBearer, withCookie };
  }
  const handle: PresentedHandle | undefined =
    cookie !== undefined && isHandle(cookie) ? { handle: cookie, transport: 'cookie' } : undefined;
  return { handle, foreignBearer, withCookie };
}

function bearerToken(header: Header): string | undefined {
  return typeof header === 'string' ? /^Bearer +([^\s,]+)$/i.exec(header.trim())?.[1] : undefined;
}

/** Exactly as sent: a handle needs neither quotes nor escapes, and not all readers remove them. */
function cookieValue(header: Header, name: string): string | undefined {
  if (typeof header !== 'string' || !header.includes(name)) return undefined;
  let value: string | undefined;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const key = at === -1 ? pair : pair.slice(0, at);
    if (key.trim() !== name) continue;
    if (value !== undefined) throw new UnclearHeaderError('The request has more than one session cookie');
    if (at === -1 || key.replace(/^ /, '') !== name) {
      throw new UnclearHeaderError('The session cookie has white space around its name, or no value');
    }
    value = pair.slice(at + 1).trimEnd();
  }
  return value;
}
