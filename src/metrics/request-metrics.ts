import { type FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { DURATION_BUCKETS } from './registry/duration-buckets.js';

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
