import { type FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';

/** In seconds: from an answer out of memory to the longest time that a request may take. */
export const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS'];

/** Counts and times the requests to the public port. Labels come from routes and closed sets, never from a caller. */
export function measureRequests(server: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const inFlight = new Gauge({
    name: 'portico_http_requests_in_flight',
    help: 'Requests to the public port that have not been answered.',
    registers: [registry],
  });
  server.addHook('onRequest', (_request, reply, done) => {
    inFlight.inc();
    // Also for a caller who has hung up.
    reply.raw.once('close', () => {
      inFlight.dec();
    });
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: METHODS.includes(request.method) ? request.method : 'other',
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
    };
    durations.observe(labels, reply.elapsedTime / 1000);
    done();
  });
}
