import { type FastifyInstance } from 'fastify';
import { parseTraceParent } from '../logging/trace-parent.js';
import { type Tracing } from './tracing.js';

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS'];
/** Probes come every few seconds and are not worth a trace. */
const PROBES = /^\/(livez|readyz)$/;
const SERVER_ERROR = 500;

/**
 * A span for each request of the public port, in the trace of the caller who sends `traceparent`. Nothing else from
 * the caller is looked at, including `tracestate` and `baggage`.
 */
export function traceRequests(server: FastifyInstance, tracing: Tracing): void {
  server.addHook('onRequest', (request, reply, next) => {
    const route = request.routeOptions.url;
    if (route !== undefined && PROBES.test(route)) {
      next();
      return;
    }
    const method = METHODS.includes(request.method) ? request.method : '_OTHER';
    const span = tracing.begin(route === undefined ? method : `${method} ${route}`, {
      place: 'server',
      parent: parseTraceParent(request.headers.traceparent),
      attributes: {
        'http.request.method': method,
        ...(route !== undefined && { 'http.route': route, 'url.path': route }),
      },
    });
    // Also for an answer whose caller has hung up.
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) {
        span.setAttribute('http.response.status_code', reply.statusCode);
        if (reply.statusCode >= SERVER_ERROR) tracing.fail(span, String(reply.statusCode));
      } else {
        tracing.fail(span, 'ClientClosedRequest');
      }
      span.end();
    });
    tracing.enter(span, next);
  });
}
