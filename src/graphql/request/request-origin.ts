import { type HandleTransport } from '../../session/session-record.js';

/** What a request tells of where it comes from. */
export interface RequestOrigin {
  /** Whether a cookie of the session's name came along, whatever its value. */
  readonly withCookie: boolean;
  /** How a usable handle came along, if one did. */
  readonly transport: HandleTransport | undefined;
  /** The origin of a page that this service itself would serve, as the browser or the proxies before it name it. */
  readonly self: string;
  /** `Origin`, and `Sec-Fetch-Site`: browsers set them, and no page can change them. */
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Whether a mutation may run for a request. A cookie says which browser asks, not which page, so the page must be one
 * of ours. What comes with neither cookie, `Origin` nor `Sec-Fetch-Site` comes from no browser, and a bearer handle from
 * no page that does not know it.
 *
 * @param allowed exact origins.
 */
export function mayChange(request: RequestOrigin, allowed: readonly string[]): boolean {
  if (request.transport === 'bearer') return true;
  if (request.origin !== undefined && allowed.includes(request.origin)) return true;
  if (request.fetchSite === 'same-origin') return true;
  // Older browsers, and all of them over plain http, do not send Sec-Fetch-Site.
  if (request.fetchSite === undefined && request.origin === request.self) return true;
  return !request.withCookie && request.origin === undefined && request.fetchSite === undefined;
}
