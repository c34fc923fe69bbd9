import cors from '@fastify/cors';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyReply } from 'fastify';
import helmet from 'helmet';

/** The header with the request id, in requests and answers. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Ids from callers are kept if they are safe in a log line and a header. */
const WELL_FORMED_ID = /^[A-Za-z0-9._:-]{8,128}$/;

/**
 * The headers that all answers have in common. No answer may be cached, and browsers are protected. Helmet is called
 * once: as a hook, it would build all of its middleware again for each request.
 */
export const FIXED_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'private, no-store',
  ...securityHeaders(),
});

/**
 * Sets the headers of every answer, with or without a route; while the service stops, each answer closes its
 * connection.
 */
export function addAnswerHeaders(server: FastifyInstance, isStopping: () => boolean): void {
  server.addHook('onRequest', (_request, reply, done) => {
    setAnswerHeaders(reply);
    done();
  });
  // Callers open their next connection elsewhere, and shutdown does not wait for idle ones.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) void reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Sets the headers of one answer. */
export function setAnswerHeaders(reply: FastifyReply): void {
  void reply.headers(FIXED_HEADERS).header(REQUEST_ID_HEADER, reply.request.id);
}

/** The caller's request id if it is well-formed, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && WELL_FORMED_ID.test(given) ? given : randomUUID();
}

/** By name in lower case. */
function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => undefined,
  };
  const middleware = helmet({
    // Answers are data: nothing in them may run, load or be framed.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
  });
  middleware({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
}

const PREFLIGHT_SECONDS = 600;

/** What browsers may do across origins. */
export interface BrowserAccess {
  /** Exact origins that may read answers and send cookies. */
  readonly origins: readonly string[];
  /** Request headers that pages may set, besides `content-type`. */
  readonly requestHeaders: readonly string[];
}

/** Tells browsers which pages may read answers; an origin that is not listed gets no CORS header. */
export async function allowOrigins(
  server: FastifyInstance,
  { origins, requestHeaders }: BrowserAccess,
): Promise<void> {
  await server.register(cors, {
    delegator: (request, done) => {
      const { origin } = request.caller;
      if (origin === undefined || !origins.includes(origin)) {
        done(null, { origin: false });
        return;
      }
      done(null, {
        origin,
        credentials: true,
        methods: ['GET', 'POST'],
        allowedHeaders: ['content-type', ...requestHeaders],
        exposedHeaders: ['x-request-id', 'retry-after', 'date'],
        maxAge: PREFLIGHT_SECONDS,
      });
    },
  });
}
