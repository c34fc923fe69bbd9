import { type FastifyInstance } from 'fastify';
import { sendErrorAnswer } from './error-answer.js';

/** What HTTP/1.0, which needs no `Host`, is taken to have asked for. */
const NO_HOST = 'host.invalid';

/**
 * Refuses requests whose host, as they or the proxies before them name it, is none. What comes after takes the address of
 * a request for a URL.
 */
export function refuseOddHosts(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.httpVersion === '1.0') request.raw.headers.host ??= NO_HOST;
    if (URL.canParse(request.url, `${request.protocol}://${request.hostname}/`)) {
      done();
      return;
    }
    sendErrorAnswer(reply, {
      status: 400,
      code: 'BAD_REQUEST',
      message: 'The request does not name a host that can be read',
    });
  });
}
