import { type FastifyInstance, type FastifyReply } from 'fastify';

/** The header with the request id, in requests and answers. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** No answer may be cached. */
export const CACHE_CONTROL = 'private, no-store';

/** Sets the headers of every answer. */
export function setAnswerHeaders(reply: FastifyReply): void {
  void reply.header(REQUEST_ID_HEADER, reply.request.id).header('cache-control', CACHE_CONTROL);
}

/** Sets them for every request, with or without a route. */
export function addAnswerHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    setAnswerHeaders(reply);
    done();
  });
}
