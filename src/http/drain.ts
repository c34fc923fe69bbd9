import { type FastifyInstance } from 'fastify';

/**
 * While the service stops, each answer closes its connection: callers open their next one elsewhere, and shutdown does not
 * wait for idle ones.
 */
export function drainConnections(server: FastifyInstance, isStopping: () => boolean): void {
  server.addHook('onSend', async (_request, reply) => {
    if (isStopping()) void reply.header('connection', 'close');
  });
}
