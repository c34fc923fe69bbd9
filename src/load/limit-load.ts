import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { callerAddress } from '../http/address.js';
import { isProbe } from '../http/caller.js';
import { type ErrorAnswer, errorAnswer, errorBody, thrownAnswer } from '../http/error-answer.js';
import { bodyLength, comesEarly, discardBody, sendAnswers } from './send-answers.js';
import { KnownSessions } from '../session/handle.js';
import { Admission, type AdmissionLimits, LOGOUT_BYTES } from './admission.js';
import { AnswerTurns } from './answer-turns.js';
import { type ConnectionLimits, Connections, CUT_REASONS } from './connections.js';
import { ENOUGH_FILES, mostConnections, openFilesLimit } from './descriptors.js';
import { sampleLoad } from './load-limit.js';
import { pauseAnswered } from './paused-connections.js';
import { RequestSlot } from './request-slot.js';
import { FIXED_HEADERS, REQUEST_ID_HEADER, requestId } from '../http/answer-headers.js';

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
  warnOfFewFiles(server);
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

function warnOfFewFiles({ log }: FastifyInstance): void {
  const files = openFilesLimit();
  if (files >= ENOUGH_FILES) return;
  log.warn(
    `At most ${mostConnections(files)} connections are taken: this process may open only ${files} files. ` +
      `Raise its limit to ${ENOUGH_FILES} or more (ulimit -n)`,
  );
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
    if (admission.limit.isShedding) pauseAnswered(request, response, admission.answered, networkOf);
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

/** Logs what was refused, reset and ended in one line each, instead of a line for each case. */
function report({ log }: FastifyInstance, refusals: EarlyRefusals, connections: Connections): void {
  const refused = refusals.takeCount();
  if (refused > 0) log.warn({ refused }, 'Requests were refused: the service is overloaded');
  const exhausted = connections.descriptors.takeCount();
  if (exhausted > 0) {
    log.error(
      { seconds: exhausted },
      'New connections are reset: this process can open no more files. Raise its limit (ulimit -n)',
    );
  }
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

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const FIXED = Object.entries(FIXED_HEADERS).flat();

type NetworkOf = (request: IncomingMessage) => string;

/**
 * While no more may even wait, refuses requests before Fastify sees them: under three times the load that the process
 * can take, most of its time would else go into refusals. Probes, and bodies that may be a logout, go on to Fastify,
 * and so do requests of browsers on other sites, whose pages may read the refusal only with CORS headers.
 */
export class EarlyRefusals {
  readonly #admission: Admission;
  readonly #networkOf: NetworkOf;
  #count = 0;

  /** @param networkOf the network of a caller, before its headers have been read. */
  constructor(admission: Admission, networkOf: NetworkOf) {
    this.#admission = admission;
    this.#networkOf = networkOf;
  }

  /** How many requests were refused since this was last asked: they have no line of their own in the log. */
  takeCount(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  /** Refuses a request, or passes it on. */
  serve(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const admission = this.#admission;
    const isFull = admission.isCrowded && admission.isFull(this.#networkOf(request));
    if ((!isFull && !admission.isLate(request.socket)) || !mayBeRefused(request)) {
      serve(request, response);
      return;
    }
    const length = bodyLength(request.headers);
    if (length === 0 || length > LOGOUT_BYTES) this.#refuse(request, response);
    else {
      request.once('readable', () => {
        const body = request.read() as Buffer | null;
        if (body?.length === length && !admission.mayBeLogout(body)) this.#refuse(request, response);
        else {
          // Back to where others read it.
          if (body !== null) request.unshift(body);
          serve(request, response);
        }
      });
    }
  }

  /** Answers a request without Fastify. Of a long body the rest is read before the connection is closed. */
  answer(request: IncomingMessage, response: ServerResponse, answer: ErrorAnswer): void {
    const id = requestId(request);
    const body = errorBody(answer, id);
    const isEarly = comesEarly(request);
    response.writeHead(answer.status, [
      ...FIXED,
      ...[REQUEST_ID_HEADER, id, 'content-type', 'application/json; charset=utf-8'],
      ...['content-length', `${Buffer.byteLength(body)}`],
      ...(answer.retryAfter === undefined ? [] : ['retry-after', `${answer.retryAfter}`]),
      ...(isEarly || this.#admission.isStopping ? ['connection', 'close'] : []),
    ]);
    if (!isEarly) response.end(body);
    else {
      response.write(body);
      void discardBody(request).then(() => response.end());
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse): void {
    this.#count += 1;
    this.answer(request, response, thrownAnswer(this.#admission.refuseUnread()));
  }
}

function mayBeRefused({ headers, url }: IncomingMessage): boolean {
  return headers.origin === undefined && headers.expect === undefined && !isProbe(url?.split('?', 1)[0]);
}
