import { type FastifyInstance } from 'fastify';
import { sendErrorAnswer } from './error-answer.js';

/** The host of HTTP/1.0 requests, which may come without `Host`. */
const NO_HOST = 'host.invalid';

/**
 * Refuses requests without a valid host, whether from `Host` or from a trusted proxy. Later code builds a URL from it.
 */
export function refuseInvalidHosts(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.httpVersion === '1.0') request.raw.headers.host ??= NO_HOST;
    if (URL.canParse(request.url, `${request.protocol}://${request.hostname}/`)) {
      done();
      return;
    }
    sendErrorAnswer(reply, {
      status: 400,
      code: 'BAD_REQUEST',
      message: 'The request has no valid Host',
    });
  });
}
