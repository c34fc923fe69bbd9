import { type FastifyInstance } from 'fastify';
import {
  type CallerAddress,
  callerAddress,
  requireOneTarget,
  type ServiceName,
  serviceName,
  UnclearHeaderError,
} from './address.js';
import { sendErrorAnswer } from './error-answer.js';
import { type CookieSite, type SessionCookie, sessionCookie } from './session-cookie.js';
import { type PresentedHandle, isHandle } from '../session/handle.js';

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
  /** Whether it is the router of a graph, by its secret. */
  readonly isRouter: boolean;
}

/** Who may be called, and by which proxies. */
export interface CallerRules {
  /** The header of the bearer handle. */
  readonly sessionHeader: string;
  /** Whether the headers have the secret of the graph's router; undefined if there is none. */
  readonly isRouter: ((headers: CallerRequest['headers']) => boolean) | undefined;
  /** From which pages the session cookie is sent; `lax` by default. */
  readonly cookieSite?: CookieSite | undefined;
  /** Whether the service may be called by a host name. */
  readonly allowsHost: (hostname: string) => boolean;
  /** Whether any proxy is trusted. */
  readonly trustsProxies: boolean;
}

/** The host of HTTP/1.0 requests, which may omit `Host`. */
const NO_HOST = 'host.invalid';
const PROBES: readonly (string | undefined)[] = ['/livez', '/readyz'];

/** Whether a path is that of a probe. Probes are always answered, and name a machine by its address. */
export function isProbe(path: string | undefined): boolean {
  return PROBES.includes(path);
}

/** What an operator should know, logged once. */
const WARNINGS = {
  untrustedProxy:
    'A request came with X-Forwarded-* headers, but TRUSTED_PROXIES is not set: they are ignored, and callers count by the address of the last proxy',
  foreignHost:
    'A request was refused because of its Host: set ALLOWED_HOSTS to the names by which the service is called',
  hiddenCallers:
    'A router came without X-Forwarded-For: the failed logins of all its callers count as those of one. See docs/federation.md',
} as const;

/** Reads the caller of each request, and refuses requests whose headers can be read in two ways. */
export function readCallers(server: FastifyInstance, rules: CallerRules): void {
  const { allowsHost, trustsProxies } = rules;
  const read = callerReader(rules);
  const given = new Set<string>();
  /** The last service that may be called: usually the next request is for the same. */
  let allowed: ServiceName | undefined;
  const warnOnce = (warning: string): void => {
    if (!given.has(warning)) server.log.warn(warning);
    given.add(warning);
  };
  // Set by the hook below before anything reads it.
  server.decorateRequest('caller');
  server.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    if (raw.httpVersion === '1.0') raw.headers.host ??= NO_HOST;
    if (!trustsProxies && wasForwarded(headers)) warnOnce(WARNINGS.untrustedProxy);
    try {
      request.caller = read(request);
      const { address, service, isRouter, presented } = request.caller;
      // The log counts callers by the same spelling.
      if (request.facts !== undefined) request.facts.clientAddress = address;
      // Without a handle it may be a composer, which asks for the schema.
      if (isRouter && presented !== undefined && headers['x-forwarded-for'] === undefined) {
        warnOnce(WARNINGS.hiddenCallers);
      }
      const isAllowed = service === allowed || service.hostname === NO_HOST || allowsHost(service.hostname);
      if (isAllowed) allowed = service;
      else if (!isProbe(request.routeOptions.url)) {
        warnOnce(WARNINGS.foreignHost);
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

function wasForwarded(headers: CallerRequest['headers']): boolean {
  const { 'x-forwarded-for': address, 'x-forwarded-proto': protocol, 'x-forwarded-host': host } = headers;
  return (address ?? protocol ?? host) !== undefined;
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
 * @returns a reader that throws `UnclearHeaderError` for anything that can be read in two ways.
 */
export function callerReader({
  sessionHeader,
  cookieSite,
  isRouter,
}: Pick<CallerRules, 'sessionHeader' | 'cookieSite' | 'isRouter'>): (request: CallerRequest) => Caller {
  const checkHeaders = headerCheck(sessionHeader);
  const bearerHeader = sessionHeader.toLowerCase();
  let last: { readonly service: ServiceName; readonly cookie: SessionCookie } | undefined;
  return ({ ip, host, protocol, headers, raw }) => {
    checkHeaders(raw.rawHeaders);
    // By now there is at most one of each.
    const { origin, 'sec-fetch-site': fetchSite } = headers as Record<string, string | undefined>;
    if (origin !== undefined && !ORIGIN.test(origin))
      throw new UnclearHeaderError('Origin is not one origin');
    const service = serviceName(host, protocol);
    if (last?.service !== service) {
      last = { service, cookie: sessionCookie(service.protocol, service.hostname, cookieSite) };
    }
    const { cookie } = last;
    const { handle, ...presented } = presentedHandle(headers[bearerHeader], headers.cookie, cookie.name);
    return {
      ...callerAddress(ip),
      ...presented,
      presented: handle,
      service,
      sessionCookie: cookie,
      origin,
      fetchSite,
      isRouter: isRouter?.(headers) === true,
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

type Header = string | string[] | undefined;

/** What a request contains to show whose it is. */
interface Presented {
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
  const token = bearer === undefined ? undefined : bearerToken(bearer);
  const cookie = cookies === undefined ? undefined : cookieValue(cookies, cookieName);
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
