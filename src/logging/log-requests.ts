import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type LoggerOptions } from 'pino';

/** Probes come every few seconds: they are logged at debug level only. */
const PROBES = /^\/(livez|readyz)$/;
const SERVER_ERROR = 500;

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined before the first hook. */
    facts: RequestFacts | undefined;
  }
}

/**
 * Logs one line for each answer, and gives every line logged meanwhile the ids of its request.
 *
 * @param traceIdOf the trace that a request belongs to, if any.
 */
export function logRequests(
  server: FastifyInstance,
  scope: RequestScope,
  traceIdOf: (request: FastifyRequest) => string | undefined,
): void {
  server.decorateRequest('facts', undefined);
  // These lines have fixed fields, none of them secret, and redaction takes half of the time of a line.
  const lines = server.log.child({}, { redact: [] });
  server.addHook('onRequest', (request, _reply, next) => {
    const { id: requestId, ip: clientAddress } = request;
    request.facts = { requestId, traceId: traceIdOf(request), clientAddress };
    scope.run(request.facts, next);
  });
  server.addHook('onResponse', (request, reply, done) => {
    // The path of the route, not the URL of the request, which may contain a secret.
    const path = request.routeOptions.url ?? 'unknown';
    const level = reply.statusCode >= SERVER_ERROR ? 'error' : PROBES.test(path) ? 'debug' : 'info';
    const { method } = request;
    const ids = { requestId: request.id, traceId: request.facts?.traceId };
    const milliseconds = Math.round(reply.elapsedTime);
    lines[level]({ ...ids, method, path, status: reply.statusCode, milliseconds }, 'answered');
    done();
  });
}

/** The facts of a request that are available to everything done for it. */
export interface RequestFacts {
  readonly requestId: string;
  /** 32 hex digits; undefined if the request has no trace. */
  readonly traceId: string | undefined;
  /** The network address of the caller, behind the proxies that are trusted; in one spelling once it was read. */
  clientAddress: string;
}

/** Knows the current request wherever a line is logged. */
export class RequestScope {
  readonly #requests = new AsyncLocalStorage<RequestFacts>();

  /** The current request; undefined outside of one. */
  readonly request = (): RequestFacts | undefined => this.#requests.getStore();

  /** The id of the current request; undefined outside of one. */
  readonly requestId = (): string | undefined => this.request()?.requestId;

  /** Runs `serve` for a request: everything it starts belongs to that request. */
  run(request: RequestFacts, serve: () => void): void {
    this.#requests.run(request, serve);
  }
}

const SECRETS = [
  'password',
  'apiKey',
  'identityToken',
  'profileKey',
  'handle',
  'token',
  'authorization',
  'cookie',
  'headers',
];

/**
 * What is logged, and how. Errors are written field by field, and requests by {@link logRequests}: headers, query
 * strings, bodies and other properties of errors are never read, so there is no secret to redact. `redact` is a
 * second line of defense for objects that are logged by hand.
 *
 * @param request the current request, if any.
 */
export function logOptions(level: string, request: RequestScope['request']): LoggerOptions {
  return {
    level,
    base: null,
    mixin: () => {
      const { requestId, traceId } = request() ?? {};
      return { requestId, traceId };
    },
    serializers: {
      err: (error: unknown) =>
        error instanceof Error
          ? { type: error.name, message: error.message, stack: error.stack }
          : { type: typeof error },
    },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  };
}
