import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Admission } from './admission.js';
import { Passage } from './passage.js';
import { watchLoad } from './watch-load.js';
import { isProbe } from '../http/probes.js';

declare module 'fastify' {
  interface FastifyRequest {
    passage: Passage;
  }
  interface FastifyInstance {
    admission: Admission;
  }
}

/**
 * Bounds the requests in flight. A request with a body is let in when the body has been read and before it is parsed, by
 * the reader of JSON: a slow sender holds no place. All others are let in here.
 */
export function boundInFlight(server: FastifyInstance, admission: Admission): void {
  // Set by the hook below before anything reads it.
  server.decorate('admission', admission);
  server.decorateRequest('passage');
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { caller } = request;
    const passage = (request.passage = new Passage(reply.raw));
    if (isProbe(request.routeOptions.url)) done(null, payload);
    else if (hasBody(request)) done(admission.refusalBeforeBody(caller, lengthOf(request)) ?? null, payload);
    else {
      admission.enter(caller, passage).then(() => {
        done(null, payload);
      }, done);
    }
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Absent if an earlier hook has answered.
    (request.passage as Passage | undefined)?.answered();
    done(null, payload);
  });
  const stop = watchLoad((sample) => {
    admission.observe(sample);
  });
  server.addHook('onClose', (_server, done) => {
    stop();
    done();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (lengthOf({ headers }) ?? 0) > 0;
}

function lengthOf({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
