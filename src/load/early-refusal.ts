import { type IncomingMessage, type ServerResponse } from 'node:http';
import { FIXED_HEADERS, REQUEST_ID_HEADER, requestId } from '../http/answer-headers.js';
import { isProbe } from '../http/caller.js';
import { type ErrorAnswer, errorBody, thrownAnswer } from '../http/error-answer.js';
import { bodyLength, comesEarly, discardBody } from '../http/lingering-close.js';
import { type Admission, LOGOUT_BYTES } from './admission.js';

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const FIXED = Object.entries(FIXED_HEADERS).flat();

export type NetworkOf = (request: IncomingMessage) => string;

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
    const length = bodyLength(request.headers);
    const isFull = admission.isCrowded && admission.isFull(this.#networkOf(request));
    const isRefused = (isFull || admission.isLate(request.socket)) && mayBeRefused(request);
    if (!isRefused) serve(request, response);
    else if (length === 0 || length > LOGOUT_BYTES) this.#refuse(request, response);
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
