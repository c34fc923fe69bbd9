import { type FastifyInstance } from 'fastify';
import { type PresentedHandle } from '../session/request-context.js';
import { callerAddress, type CallerAddress } from './address.js';
import { sendErrorAnswer } from './error-answer.js';
import { requireOneTarget, serviceName, type ServiceName, UnclearHeaderError } from './host.js';
import { presentedHandle } from './presented-handle.js';
import { type SessionCookie, sessionCookie } from './session-cookie.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

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

/** Who may be called, and by which proxies. */
export interface CallerRules {
  /** The header of the bearer handle. */
  readonly sessionHeader: string;
  /** Whether the service may be called by a host name. */
  readonly allowsHost: (hostname: string) => boolean;
  /** Whether any proxy is trusted. */
  readonly trustsProxies: boolean;
}

/** The host of HTTP/1.0 requests, which may omit `Host`. */
const NO_HOST = 'host.invalid';
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];
const PROBES: readonly (string | undefined)[] = ['/livez', '/readyz'];

/** Whether a path is that of a probe. Probes are always answered, and name a machine by its address. */
export function isProbe(path: string | undefined): boolean {
  return PROBES.includes(path);
}

/** Reads the caller of each request, and refuses requests whose headers can be read in two ways. */
export function readCallers(server: FastifyInstance, rules: CallerRules): void {
  const { sessionHeader, allowsHost, trustsProxies } = rules;
  const read = callerReader(sessionHeader);
  let hasWarned = trustsProxies;
  let hasReportedHost = false;
  // Set by the hook below before anything reads it.
  server.decorateRequest('caller');
  server.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    if (raw.httpVersion === '1.0') raw.headers.host ??= NO_HOST;
    if (!hasWarned && FORWARDED.some((name) => headers[name] !== undefined)) {
      hasWarned = true;
      server.log.warn(
        'A request came with X-Forwarded-* headers, but TRUSTED_PROXIES is not set: they are ignored, and callers count by the address of the last proxy',
      );
    }
    try {
      request.caller = read(request);
      const { hostname } = request.caller.service;
      const isAllowed = hostname === NO_HOST || allowsHost(hostname);
      if (!isAllowed && !isProbe(request.routeOptions.url)) {
        if (!hasReportedHost) {
          hasReportedHost = true;
          server.log.warn(
            'A request was refused because of its Host: set ALLOWED_HOSTS to the names by which the service is called',
          );
        }
        throw new UnclearHeaderError('The request is for a Host that is not allowed');
      }
      requireOneTarget(request.url, raw.headers.host ?? NO_HOST);
      done();
    } catch (error) {
      if (!(error instanceof UnclearHeaderError)) throw error;
      sendErrorAnswer(reply, { status: error.statusCode, code: 'BAD_REQUEST', message: error.message });
    }
  });
}

/** The parts of a request that Fastify provides, past the trusted proxies. */
export interface CallerRequest {
  readonly ip: string;
  readonly host: string;
  readonly protocol: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: { readonly rawHeaders: readonly string[] };
}

/** Headers that decide something may occur only once: of two, Node takes the first, others take the last or both. */
const ONCE = ['Host', 'Authorization', 'Origin', 'Sec-Fetch-Site', 'Content-Type'];
/** All proxies that set one of these must agree. */
const AGREED = ['X-Forwarded-Host', 'X-Forwarded-Proto'];
/** A single origin. Its form does not matter: it is compared as a whole with the allowed ones. */
const ORIGIN = /^[^\s,]+$/;

/**
 * The only reader of the headers that decide: everything else asks for the {@link Caller}.
 *
 * @param sessionHeader the header of `Bearer <handle>`.
 * @returns a reader that throws `UnclearHeaderError` for anything that can be read in two ways.
 */
export function callerReader(sessionHeader: string): (request: CallerRequest) => Caller {
  const checkHeaders = headerCheck(sessionHeader);
  const bearerHeader = sessionHeader.toLowerCase();
  return ({ ip, host, protocol, headers, raw }) => {
    checkHeaders(raw.rawHeaders);
    // By now there is at most one of each.
    const { origin, 'sec-fetch-site': fetchSite } = headers as Record<string, string | undefined>;
    if (origin !== undefined && !ORIGIN.test(origin))
      throw new UnclearHeaderError('Origin is not one origin');
    const service = serviceName(host, protocol);
    const cookie = sessionCookie(service.protocol, service.hostname);
    const { handle, ...presented } = presentedHandle(headers[bearerHeader], headers.cookie, cookie.name);
    return {
      ...callerAddress(ip),
      ...presented,
      presented: handle,
      service,
      sessionCookie: cookie,
      origin,
      fetchSite,
    };
  };
}

/** @returns a check of the names and values as they were sent, alternating. */
function headerCheck(sessionHeader: string): (rawHeaders: readonly string[]) => void {
  const names = new Map([...ONCE, ...AGREED, sessionHeader].map((name) => [name.toLowerCase(), name]));
  return (rawHeaders) => {
    const seen = new Map<string, string>();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = names.get((rawHeaders[index] ?? '').toLowerCase());
      if (name === undefined) continue;
      const value = rawHeaders[index + 1] ?? '';
      const before = seen.get(name);
      seen.set(name, value);
      if (AGREED.includes(name)) requireOneValue(name, before === undefined ? value : `${before},${value}`);
      else if (before !== undefined)
        throw new UnclearHeaderError(`The request has more than one ${name} header`);
    }
  };
}

function requireOneValue(name: string, list: string): void {
  if (!list.includes(',')) return;
  const values = list.split(',').map((value) => value.trim());
  if (new Set(values).size > 1) throw new UnclearHeaderError(`${name} has more than one value`);
}
