import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type FastifyInstance } from 'fastify';
import { type Admission, LOGOUT_BYTES } from './admission.js';
import { FIXED_HEADERS, REQUEST_ID_HEADER, requestId } from '../http/answer-headers.js';
import { isProbe } from '../http/caller.js';
import { errorBody, thrownAnswer } from '../http/error-answer.js';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Node reads what is left of a refused body and throws it away; of a longer one it is cheaper to close the connection. */
const DISCARDED_BYTES = 64 * 1024;
const REPORT_MS = 5_000;

/**
 * While no more may even wait, refuses requests before Fastify sees them: under three times the load that the process
 * can take, most of its time would else go into refusals. Probes, and bodies that may be a logout, go on to Fastify, and so do
 * requests of browsers on other sites, whose pages may read the refusal only with CORS headers.
 */
export function refuseEarly(server: FastifyInstance, admission: Admission): void {
  const http: Server = server.server;
  const [serve] = http.listeners('request') as Serve[];
  if (serve === undefined) throw new Error('The server has no listener of requests');
  const refusals = new Refusals(server, admission);
  http.removeAllListeners('request');
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isRefused = (admission.isFull || admission.isLate(request.socket)) && mayBeRefused(request);
    if (!isRefused) serve(request, response);
    else if (lengthOf(request) === 0) refusals.refuse(request, response);
    else if (lengthOf(request) > LOGOUT_BYTES)
      refusals.refuse(request, response, lengthOf(request) > DISCARDED_BYTES);
    else {
      request.once('readable', () => {
        const body = request.read() as Buffer | null;
        const isWhole = body?.length === lengthOf(request);
        if (body !== null && isWhole && !admission.mayBeLogout(body)) refusals.refuse(request, response);
        else {
          // Back to where others read it.
          if (body !== null) request.unshift(body);
          serve(request, response);
        }
      });
    }
  });
  server.addHook('onClose', (_server, done) => {
    refusals.stop();
    done();
  });
}

function mayBeRefused({ headers, url }: IncomingMessage): boolean {
  return headers.origin === undefined && headers.expect === undefined && !isProbe(url?.split('?', 1)[0]);
}

/** A body that does not say its length may be longer than any. */
function lengthOf({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity;
  return Number(headers['content-length'] ?? 0);
}

/** Refuses requests, and logs their number instead of a line for each. */
class Refusals {
  readonly #headers = Object.entries(FIXED_HEADERS).flat();
  readonly #admission: Admission;
  readonly #report: () => void;
  readonly #timer: NodeJS.Timeout;
  #count = 0;

  constructor(server: FastifyInstance, admission: Admission) {
    this.#admission = admission;
    this.#report = () => {
      if (this.#count > 0)
        server.log.warn({ refused: this.#count }, 'Requests were refused: the service is overloaded');
      this.#count = 0;
    };
    this.#timer = setInterval(this.#report, REPORT_MS).unref();
  }

  /** @param closes whether to close the connection. */
  refuse(request: IncomingMessage, response: ServerResponse, closes = false): void {
    this.#count += 1;
    const answer = thrownAnswer(this.#admission.refuseUnread());
    const id = requestId(request);
    const body = errorBody(answer, id);
    const headers = [
      ...this.#headers,
      ...[REQUEST_ID_HEADER, id, 'retry-after', `${answer.retryAfter}`],
      ...['content-type', 'application/json; charset=utf-8', 'content-length', `${Buffer.byteLength(body)}`],
      ...(closes || this.#admission.isStopping ? ['connection', 'close'] : []),
    ];
    response.writeHead(answer.status, headers).end(body);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#report();
  }
}
