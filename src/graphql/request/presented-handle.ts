import { parseCookie } from 'cookie';
import { isHandle } from '../../session/sealed/handle.js';
import { type PresentedHandle } from '../../session/request-context.js';

/** The part of a request that may carry a handle. */
export interface HandleBearer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The handle that a request brings, by bearer header or by cookie.
 * A handle that is malformed, sent twice, or sent both ways counts as none.
 *
 * @param headerName the header of `Bearer <handle>`, in lower case.
 */
export function presentedHandle(
  { headers }: HandleBearer,
  headerName: string,
  cookieName: string,
): PresentedHandle | undefined {
  const bearer = bearerHandle(headers[headerName]);
  const cookie = cookieHandle(headers.cookie, cookieName);
  if (bearer !== undefined && cookie !== undefined) return undefined;
  if (bearer !== undefined && isHandle(bearer)) return { handle: bearer, transport: 'bearer' };
  if (cookie !== undefined && isHandle(cookie)) return { handle: cookie, transport: 'cookie' };
  return undefined;
}

function bearerHandle(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? /^Bearer +(\S+)$/i.exec(header.trim())?.[1] : undefined;
}

/** Whether a request has a cookie with that name, whatever its value. */
export function hasCookie(header: string | string[] | undefined, name: string): boolean {
  return typeof header === 'string' && occurrences(header, name) > 0;
}

function cookieHandle(header: string | string[] | undefined, name: string): string | undefined {
  if (typeof header !== 'string') return undefined;
  return occurrences(header, name) > 1 ? '' : parseCookie(header)[name];
}

function occurrences(header: string, name: string): number {
  return header.split(';').filter((pair) => pair.trim().startsWith(`${name}=`)).length;
}
