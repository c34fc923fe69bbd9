import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type RequestFacts, type RequestScope } from './request-scope.js';

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
 * @param addressOf the network address of the caller; asked for when it is needed.
 */
export function logRequests(
  server: FastifyInstance,
  scope: RequestScope,
  traceIdOf: (request: FastifyRequest) => string | undefined,
  addressOf: (request: FastifyRequest) => string,
): void {
  server.decorateRequest('facts', undefined);
  // These lines have fixed fields, none of them secret, and redaction takes half of the time of a line.
  const lines = server.log.child({}, { redact: [] });
  server.addHook('onRequest', (request, _reply, next) => {
    request.facts = new OwnFacts(request, traceIdOf(request), addressOf);
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

/**
 * A class, because V8 gives each object literal with a getter a hidden class of its own, which keeps the getter, and
 * with it the whole request, until the old generation is collected.
 */
class OwnFacts implements RequestFacts {
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly #request: FastifyRequest;
  readonly #addressOf: (request: FastifyRequest) => string;

  constructor(
    request: FastifyRequest,
    traceId: string | undefined,
    addressOf: (request: FastifyRequest) => string,
  ) {
    this.requestId = request.id;
    this.traceId = traceId;
    this.#request = request;
    this.#addressOf = addressOf;
  }

  get clientAddress(): string {
    return this.#addressOf(this.#request);
  }
}
