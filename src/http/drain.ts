import { type FastifyInstance } from 'fastify';

/** Once the server closes, each remaining answer closes its connection, so that shutdown does not wait for idle ones. */
export function drainConnections(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('connection', 'close');
  });
}
