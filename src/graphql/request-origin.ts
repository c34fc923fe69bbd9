import { type HandleTransport } from '../session/handle.js';

/** What a request says about its origin. */
export interface RequestOrigin {
  /** Whether the request has a session cookie, whatever its value. */
  readonly withCookie: boolean;
  /** How a well-formed handle was sent, if one was. */
  readonly transport: HandleTransport | undefined;
  /** The service's own origin, as the browser or the trusted proxies name it. */
  readonly self: string;
  /** `Origin`, and `Sec-Fetch-Site`: browsers set them, and no page can change them. */
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Whether a request may run a mutation. A cookie identifies the browser, not the page, so the page must have an allowed
 * origin. A request with neither cookie, `Origin` nor `Sec-Fetch-Site` does not come from a browser, and a bearer handle
 * comes only from a page that knows it.
 *
 * @param allowed exact origins.
 */
export function mayMutate(request: RequestOrigin, allowed: readonly string[]): boolean {
  if (request.transport === 'bearer') return true;
  if (request.origin !== undefined && allowed.includes(request.origin)) return true;
  if (request.fetchSite === 'same-origin') return true;
  // Older browsers, and all of them over plain http, do not send Sec-Fetch-Site.
  if (request.fetchSite === undefined && request.origin === request.self) return true;
  return !request.withCookie && request.origin === undefined && request.fetchSite === undefined;
}
