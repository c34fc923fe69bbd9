import { type FastifyInstance } from 'fastify';

/**
 * While the service stops, each answer closes its connection: callers open their next one elsewhere, and shutdown does not
 * wait for idle ones.
 */
export function drainConnections(server: FastifyInstance, isStopping: () => boolean): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) void reply.header('connection', 'close');
    done(null, payload);
  });
}
