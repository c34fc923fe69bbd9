import { type FastifyInstance, type FastifyReply } from 'fastify';

/** Carries the id of a request, both ways. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Nothing that is answered here is for a cache. */
export const CACHE_CONTROL = 'private, no-store';

/** Sets what every answer carries. */
export function setAnswerHeaders(reply: FastifyReply): void {
  void reply.header(REQUEST_ID_HEADER, reply.request.id).header('cache-control', CACHE_CONTROL);
}

/** The same for all that come to a route, or to none. */
export function headAnswers(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    setAnswerHeaders(reply);
    done();
  });
}
