import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { isProbe } from '../http/caller.js';
import { KnownSessions } from '../session/known-sessions.js';
import { Admission } from './admission.js';
import { AnswerTurns } from './answer-turns.js';
import { refuseEarly } from './early-refusal.js';
import { sampleLoad } from './load-limit.js';
import { type PartyLimits } from './party.js';
import { pauseAnswered } from './paused-connections.js';
import { RequestSlot } from './request-slot.js';
import { sendAnswers } from './send-answers.js';
import { UnsentAnswers } from './unsent-answers.js';

declare module 'fastify' {
  interface FastifyRequest {
    slot: RequestSlot;
  }
}

export interface LoadOptions extends PartyLimits {
  /** Whether the service is stopping, so that each answer closes its connection. */
  readonly isStopping: () => boolean;
  /** Of the documents by whose hash a logout may be asked for. */
  readonly logoutHashes: readonly string[];
}

/** What limits the load of a server. */
export interface Load {
  readonly admission: Admission;
  /** The turns in which large answers are made. */
  readonly turns: AnswerTurns;
  /** The sessions whose handles are not made up. */
  readonly sessions: KnownSessions;
  /**
   * Lets a request with a body in once the body has been read, and before it is parsed: a slow sender holds no place.
   *
   * @throws ServiceError OVERLOADED
   */
  readonly admit: (request: FastifyRequest, body: Buffer) => Promise<void>;
}

/** Limits how much a server does at the same time: what it reads, what is in flight, and how answers are made and sent. */
export function limitLoad(server: FastifyInstance, options: LoadOptions): Load {
  const sessions = new KnownSessions();
  const admission = new Admission({ ...options, sessions });
  server.server.on('connection', admission.pacer.connected);
  refuseEarly(server, admission);
  pauseAnswered(server, admission, isProbe);
  admitRequests(server, admission);
  const unsent = new UnsentAnswers({
    onRoom: () => {
      turns.schedule();
    },
  });
  const turns = new AnswerTurns(unsent.hasRoom, admission.pacer.beginHeavy);
  sendAnswers(server, unsent);
  return {
    admission,
    turns,
    sessions,
    admit: ({ caller, slot }, body) => admission.enter(caller, slot, body),
  };
}

/** Lets requests without a body in, and refuses those whose body is not worth reading. */
function admitRequests(server: FastifyInstance, admission: Admission): void {
  // Set by the hook below before anything reads it.
  server.decorateRequest('slot');
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { caller } = request;
    const slot = (request.slot = new RequestSlot(reply.raw));
    if (isProbe(request.routeOptions.url)) done(null, payload);
    else if (hasBody(request)) done(admission.refusalBeforeBody(caller, lengthOf(request)) ?? null, payload);
    else {
      admission.enter(caller, slot).then(() => {
        done(null, payload);
      }, done);
    }
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Absent if an earlier hook has answered.
    (request.slot as RequestSlot | undefined)?.answered();
    done(null, payload);
  });
  const stop = sampleLoad(admission.observe);
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
