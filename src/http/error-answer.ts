import { type FastifyReply } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';

/** An answer to a request that never reached GraphQL, in the shape that GraphQL clients expect. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  /** Fixed: it quotes nothing of the request. */
  readonly message: string;
}

const SERVER_ERROR = 500;
const BAD_REQUEST = 400;

/** Messages by HTTP status. */
const MESSAGES = new Map<number, string>([
  [400, 'The request body must be one JSON object'],
  [404, 'No such path'],
  [405, 'Use POST, or GET for queries'],
  [408, 'The request was not received in time'],
  [413, 'The request body is too large'],
  [414, 'The URL is too long'],
  [415, 'The request body must be uncompressed application/json in UTF-8'],
  [431, 'The request headers are too large'],
]);

/** The answer for a status; anything but a caller's mistake is masked. */
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
