import { type FastifyInstance } from 'fastify';

/** Once the server closes, each answer that is still on its way ends its connection: nothing is left open to wait for. */
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
