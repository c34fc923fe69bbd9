import { type FastifyReply } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';

/** An answer that never got as far as GraphQL, in the shape that a GraphQL client reads. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  /** Fixed: it quotes nothing of the request. */
  readonly message: string;
}

const SERVER_ERROR = 500;
const BAD_REQUEST = 400;

/** What is wrong with a request, by HTTP status. */
const MESSAGES = new Map<number, string>([
  [400, 'The request cannot be read: its body must be one JSON object'],
  [404, 'There is nothing at this address'],
  [405, 'Use GET for queries, or POST'],
  [408, 'The request did not come to its end in time'],
  [413, 'The body of the request is too large'],
  [414, 'The address is too long'],
  [415, 'The body of the request must be application/json in UTF-8, not compressed'],
  [431, 'The headers of the request are too large'],
]);

/** The answer for a status; what is no fault of the caller is masked. */
export function errorAnswer(status: number | undefined): ErrorAnswer {
  if (status === undefined || status >= SERVER_ERROR || status < BAD_REQUEST) {
    return { status: SERVER_ERROR, code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' };
  }
  return { status, code: 'BAD_REQUEST', message: MESSAGES.get(status) ?? ERROR_CODES.BAD_REQUEST };
}

/** The JSON body of an {@link ErrorAnswer}. */
export function errorBody({ code, message }: ErrorAnswer, requestId?: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, retryable: false, requestId } }] });
}

/** Sends an {@link ErrorAnswer}. */
export function sendErrorAnswer(reply: FastifyReply, answer: ErrorAnswer): void {
  void reply
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .send(errorBody(answer, reply.request.id));
}
