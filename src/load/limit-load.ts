import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address.js';
import { isProbe } from '../http/caller.js';
import { errorAnswer } from '../http/error-answer.js';
import { bodyLength } from '../http/lingering-close.js';
import { KnownSessions } from '../session/known-sessions.js';
import { Admission, type AdmissionLimits } from './admission.js';
import { AnswerTurns } from './answer-turns.js';
import { type ConnectionLimits, Connections, CUT_REASONS } from './connections.js';
import { EarlyRefusals, type NetworkOf, type Serve } from './early-refusal.js';
import { sampleLoad } from './load-limit.js';
import { pauseAnswered } from './paused-connections.js';
import { RequestSlot } from './request-slot.js';
import { sendAnswers } from './send-answers.js';

declare module 'fastify' {
  interface FastifyRequest {
    slot: RequestSlot;
  }
}

export interface LoadOptions extends AdmissionLimits {
  /** Whether the service is stopping, so that each answer closes its connection. */
  readonly isStopping: () => boolean;
  /** Whether any proxy is trusted. */
  readonly trustsProxies: boolean;
  /** Of the documents by whose hash a logout may be asked for. */
  readonly logoutHashes: readonly string[];
  readonly connections?: Partial<ConnectionLimits> | undefined;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: (() => number) | undefined;
}

/** What limits the load of a server. */
export interface Load {
  readonly admission: Admission;
  readonly connections: Connections;
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

/** How often readers are looked at. */
const SWEEP_MS = 1_000;
const REPORT_MS = 5_000;
const EXPECTATION_FAILED = 417;

/**
 * Limits how much a server does at the same time: what it reads, what is in flight, and how answers are made and
 * sent.
 */
export function limitLoad(server: FastifyInstance, options: LoadOptions): Load {
  const sessions = new KnownSessions();
  const admission: Admission = new Admission({ ...options, sessions, heavy: () => turns.size });
  const connections = new Connections({
    limits: options.connections,
    now: options.now,
    onRoom: () => {
      turns.schedule();
    },
  });
  const turns: AnswerTurns = new AnswerTurns(connections.hasRoom, admission.pacer.beginHeavy);
  boundConnections(server, connections, admission, likelyNetwork(options.trustsProxies));
  admitRequests(server, admission, connections);
  sendAnswers(server, connections);
  return {
    admission,
    connections,
    turns,
    sessions,
    admit: ({ caller, slot }, body) => admission.enter(caller, slot, body),
  };
}

/** Looks at each connection and each request before Fastify does. */
function boundConnections(
  server: FastifyInstance,
  connections: Connections,
  admission: Admission,
  networkOf: NetworkOf,
): void {
  const http: Server = server.server;
  const [serve] = http.listeners('request') as Serve[];
  if (serve === undefined) throw new Error('The server has no listener of requests');
  const refusals = new EarlyRefusals(admission, networkOf);
  server.decorate('isAnswering', connections.isAnswering);
  http.on('connection', connections.accept).on('connection', admission.pacer.connected);
  http.removeAllListeners('request');
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!connections.begin(response)) return;
    pauseAnswered(request, response, admission, networkOf);
    refusals.serve(request, response, serve);
  });
  // Node would answer it by itself, however many of them come.
  http.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (connections.begin(response)) refusals.answer(request, response, errorAnswer(EXPECTATION_FAILED));
  });
  const timers = [
    setInterval(() => {
      connections.sweep();
    }, SWEEP_MS),
    setInterval(() => {
      report(server, refusals, connections);
    }, REPORT_MS),
  ];
  for (const timer of timers) timer.unref();
  server.addHook('onClose', (_server, done) => {
    timers.forEach(clearInterval);
    report(server, refusals, connections);
    done();
  });
}

/** Logs what was refused and ended in one line, instead of a line for each. */
function report({ log }: FastifyInstance, refusals: EarlyRefusals, connections: Connections): void {
  const refused = refusals.takeCount();
  if (refused > 0) log.warn({ refused }, 'Requests were refused: the service is overloaded');
  const cuts = connections.takeCuts();
  if (CUT_REASONS.some((reason) => cuts[reason] > 0)) log.warn(cuts, 'Connections were cut off');
}

/**
 * The network of a caller before the headers have been checked. Behind a trusted proxy it is the one that the proxy
 * names last. A forged one gets a request no further than to admission.
 */
function likelyNetwork(trustsProxies: boolean): NetworkOf {
  return ({ socket: { remoteAddress = '' }, headers }) => {
    const forwarded = trustsProxies ? String(headers['x-forwarded-for'] ?? '').split(',') : [];
    const last = forwarded.at(-1)?.trim() ?? '';
    try {
      return callerAddress(last === '' ? remoteAddress : last).network;
    } catch {
      return '';
    }
  };
}

/** Lets requests without a body in, and refuses those whose body is not worth reading. */
function admitRequests(server: FastifyInstance, admission: Admission, connections: Connections): void {
  // Set by the hook below before anything reads it.
  server.decorateRequest('slot');
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { caller, headers } = request;
    const length = bodyLength(headers);
    // A request that was injected came over no connection.
    const slot = (request.slot = connections.slotOf(reply.raw) ?? new RequestSlot(reply.raw));
    if (isProbe(request.routeOptions.url)) done(null, payload);
    else if (length > 0) done(admission.refusalBeforeBody(caller, length) ?? null, payload);
    else {
      admission.enter(caller, slot).then(() => {
        done(null, payload);
      }, done);
    }
  });
  const stop = sampleLoad(admission.observe);
  server.addHook('onClose', (_server, done) => {
    stop();
    done();
  });
}
