import { ServiceError } from '../errors/service-error.js';
import { type HandleTransport } from '../session/handle.js';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type SessionSettings } from '../config/session-settings.js';
import { type RequestContext } from '../session/request-context.js';
import { requestId } from './answer-headers.js';
import { type Caller, callerReader, type CallerRequest } from './caller.js';
import { type SessionCookie } from './session-cookie.js';

/** A {@link RequestContext} with what only the edge needs: how to set a cookie, and where the request comes from. */
export interface CallerContext extends RequestContext {
  readonly sessionCookie: SessionCookie;
  readonly origin: RequestOrigin;
}

/** What a request says of its caller, as the layers below the edge see it. */
export function callerFacts(caller: Caller, id: string): Omit<CallerContext, 'signal'> {
  const { presented, foreignBearer, withCookie, sessionCookie, service, origin, fetchSite } = caller;
  return {
    requestId: id,
    clientAddress: caller.address,
    network: caller.network,
    sessionCookie,
    presented,
    foreignBearer,
    crossSite: fetchSite === 'cross-site' && sessionCookie.crossSite !== true,
    // A value that cannot be a handle opens nothing.
    ...(withCookie && presented === undefined && { cookie: 'useless' as const }),
    origin: { withCookie, transport: presented?.transport, self: service.origin, origin, fetchSite },
  };
}

/** A request of Express or Fastify. */
export type HostRequest = IncomingMessage &
  Partial<CallerRequest> & {
    /** Fastify's own, or what a middleware has set. */
    readonly id?: unknown;
    /** Fastify only. */
    readonly raw?: IncomingMessage;
    /** Set where `readCallers` runs. */
    readonly caller?: Caller;
  };

/** An answer of Express or Fastify. */
export type HostAnswer = ServerResponse & {
  /** Fastify only. */
  readonly raw?: ServerResponse;
  readonly header?: (name: string, value: string) => unknown;
};

/** The contexts of requests that are being answered: all that looks at one request shares its context. */
const contexts = new WeakMap<object, CallerContext>();

/** A reader of callers, for servers without the hook `readCallers`. */
export function hostCallerReader(
  settings: Pick<SessionSettings, 'SESSION_HEADER' | 'SESSION_COOKIE_SITE'>,
): ReturnType<typeof callerReader> {
  const { SESSION_HEADER: sessionHeader, SESSION_COOKIE_SITE: cookieSite } = settings;
  return callerReader({ sessionHeader, cookieSite, isRouter: undefined });
}

/** The context of a request, if something has asked {@link hostContext} for it. */
export function contextOf(request: HostRequest): CallerContext | undefined {
  return contexts.get(request.raw ?? request);
}

/**
 * The context of a request to Express or Fastify.
 *
 * @param read the reader of callers, where no hook has run it.
 * @throws UnclearHeaderError
 */
export function hostContext(
  request: HostRequest,
  answer: HostAnswer,
  read: (request: CallerRequest) => Caller,
): CallerContext {
  const known = contextOf(request);
  if (known !== undefined) return known;
  const raw = request.raw ?? request;
  const { ip = '', host = '', protocol = 'http', headers } = request;
  const caller = request.caller ?? read({ ip, host, protocol, headers, raw });
  const id = typeof request.id === 'string' ? request.id : requestId(request);
  const context = { ...callerFacts(caller, id), signal: hangUpSignal(answer.raw ?? answer) };
  contexts.set(raw, context);
  return context;
}

/** Adds a header to an answer of Express or Fastify. Other cookies of the answer stay. */
export function addHeader(answer: HostAnswer, name: string, value: string): void {
  // Fastify keeps the headers of an answer apart from those of its stream, and adds up cookies.
  if (answer.raw === undefined) answer.appendHeader(name, value);
  else answer.header?.(name, value);
}

/** The part of an answer's stream that shows whether the caller has hung up. */
export interface AnswerStream {
  readonly destroyed: boolean;
  /** Whether all of the answer has been handed to the operating system. */
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Aborts when the connection of a request is closed before its answer has been sent. */
export function hangUpSignal(answer: AnswerStream): AbortSignal {
  const controller = new AbortController();
  if (answer.destroyed) controller.abort();
  else {
    answer.once('close', () => {
      if (!answer.writableFinished) controller.abort();
    });
  }
  return controller.signal;
}

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
 * Why a request may not be run: it comes from a page of an origin that is not allowed. That matters for what changes
 * something and, if pages that another site frames send the cookie too, for everything that the cookie opens.
 *
 * @param allowed exact origins.
 */
export function originRefusal(
  { origin, sessionCookie }: { readonly origin: RequestOrigin; readonly sessionCookie: SessionCookie },
  allowed: readonly string[],
  changes: boolean,
): ServiceError | undefined {
  const matters = changes || (sessionCookie.crossSite === true && origin.withCookie);
  if (!matters || mayMutate(origin, allowed)) return undefined;
  const what = changes ? 'A mutation from a browser or with a cookie' : 'A request with a cookie';
  const lost = lostByProxy(origin);
  const advice = lost === undefined ? '' : `. ${lost}`;
  const message = `${what} needs an allowed Origin; send one, or use a bearer handle${advice}`;
  return new ServiceError('FORBIDDEN', message, {
    reason: 'ORIGIN_NOT_ALLOWED',
  });
}

/** What a proxy seems to have dropped, if the page and the service are on one host and differ in scheme or port. */
function lostByProxy({ origin, self }: RequestOrigin): string | undefined {
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const [page, service] = [new URL(origin), new URL(self)];
  if (page.hostname !== service.hostname) return undefined;
  if (page.protocol !== service.protocol)
    return 'Origin has the host of the service and another scheme: a proxy must send X-Forwarded-Proto, and be trusted';
  return 'Origin has the host of the service and another port: a proxy must pass Host, or X-Forwarded-Host, with the port';
}

/**
 * Whether a request may run a mutation. A cookie identifies the browser, not the page, so the page must have an
 * allowed origin. A request with neither cookie, `Origin` nor `Sec-Fetch-Site` does not come from a browser, and a
 * bearer handle comes only from a page that knows it.
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
