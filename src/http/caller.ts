import { type PresentedHandle } from '../session/request-context.js';
import { callerAddress, type CallerAddress } from './address.js';
import { headersOnce } from './headers-once.js';
import { requireOneValue, serviceName, type ServiceName } from './host.js';
import { presentedHandle } from './presented-handle.js';
import { type SessionCookie, sessionCookie } from './session-cookie.js';
import { UnclearHeaderError } from './unclear-header-error.js';

/** Who calls, and how: everything that decides, read once for each request. */
export interface Caller extends CallerAddress {
  readonly service: ServiceName;
  readonly sessionCookie: SessionCookie;
  readonly presented: PresentedHandle | undefined;
  /** Whether there is a bearer token that cannot be a handle. */
  readonly foreignBearer: boolean;
  /** Whether there is a session cookie, whatever its value. */
  readonly withCookie: boolean;
  /** `Origin` and `Sec-Fetch-Site`: browsers set them, and no page can change them. */
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/** The parts of a request that Fastify provides, past the trusted proxies. */
export interface CallerRequest {
  readonly ip: string;
  readonly host: string;
  readonly protocol: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: { readonly rawHeaders: readonly string[] };
}

/** A single origin. Its form does not matter: it is compared as a whole with the allowed ones. */
const ORIGIN = /^[^\s,]+$/;

/**
 * The only reader of the headers that decide: everything else asks for the {@link Caller}.
 *
 * @param sessionHeader the header of `Bearer <handle>`.
 * @returns a reader that throws `UnclearHeaderError` for anything that can be read in two ways.
 */
export function callerReader(sessionHeader: string): (request: CallerRequest) => Caller {
  const checkOnce = headersOnce(sessionHeader);
  const bearerHeader = sessionHeader.toLowerCase();
  return ({ ip, host, protocol, headers, raw }) => {
    checkOnce(raw.rawHeaders);
    requireOneValue('X-Forwarded-Host', headers['x-forwarded-host']);
    requireOneValue('X-Forwarded-Proto', headers['x-forwarded-proto']);
    const service = serviceName(host, protocol);
    const cookie = sessionCookie(service.protocol, service.hostname);
    const { handle, ...presented } = presentedHandle(headers[bearerHeader], headers.cookie, cookie.name);
    return {
      ...callerAddress(ip),
      ...presented,
      presented: handle,
      service,
      sessionCookie: cookie,
      origin: originOf(headers.origin),
      fetchSite: single(headers['sec-fetch-site']),
    };
  };
}

function originOf(header: string | string[] | undefined): string | undefined {
  const origin = single(header);
  if (origin !== undefined && !ORIGIN.test(origin)) throw new UnclearHeaderError('Origin is not one origin');
  return origin;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header;
}
