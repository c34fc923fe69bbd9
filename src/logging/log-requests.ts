import { type FastifyInstance } from 'fastify';
import { type RequestScope } from './request-scope.js';

/** Probes come every few seconds: they are logged at debug level only. */
const PROBES = /^\/(livez|readyz)$/;
const SERVER_ERROR = 500;

/** Logs one line for each answer, and gives every line logged meanwhile the id of its request. */
export function logRequests(server: FastifyInstance, scope: RequestScope): void {
  // These lines have fixed fields, none of them secret. Looking for secrets takes half of the time that a line takes.
  const lines = server.log.child({}, { redact: [] });
  server.addHook('onRequest', (request, _reply, next) => {
    scope.run(request.id, next);
  });
  server.addHook('onResponse', (request, reply, done) => {
    // The path of the route, not the URL of the request, which may contain a secret.
    const path = request.routeOptions.url ?? 'unknown';
    const level = reply.statusCode >= SERVER_ERROR ? 'error' : PROBES.test(path) ? 'debug' : 'info';
    const milliseconds = Math.round(reply.elapsedTime);
    lines[level](
      { requestId: request.id, method: request.method, path, status: reply.statusCode, milliseconds },
      'answered',
    );
    done();
  });
}
