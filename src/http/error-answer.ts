import { type FastifyReply } from 'fastify';
import { ERROR_CODES, type ErrorCode, type ErrorReason } from 'portico/errors';
import { ServiceError } from '../errors/service-error.js';

/** An answer to a request that never reached GraphQL, in the shape that GraphQL clients expect. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  /** Fixed: it quotes nothing of the request. */
  readonly message: string;
  /** Seconds after which the same request may succeed; undefined if it never will. */
  readonly retryAfter?: number | undefined;
  readonly reason?: ErrorReason | undefined;
}

const SERVER_ERROR = 500;
const BAD_REQUEST = 400;
const SERVICE_UNAVAILABLE = 503;

/** Messages by HTTP status. */
const MESSAGES = new Map<number, string>([
  [400, 'The request body must be one JSON object'],
  [404, 'No such path'],
  [405, 'Use POST, or GET for queries'],
  [408, 'The request was not received in time'],
  [413, 'The request body is too large (HTTP_BODY_LIMIT_BYTES, for a router FEDERATION_BODY_LIMIT_BYTES)'],
  [414, 'The URL is too long'],
  [415, 'The request body must be uncompressed application/json in UTF-8'],
  [417, 'Expect can only be 100-continue'],
  [431, 'The request headers are too large'],
]);

/** The answer for a status; anything but a caller's mistake is masked. */
export function errorAnswer(status: number | undefined): ErrorAnswer {
  if (status === undefined || status >= SERVER_ERROR || status < BAD_REQUEST) {
    return { status: SERVER_ERROR, code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' };
  }
  return { status, code: 'BAD_REQUEST', message: MESSAGES.get(status) ?? ERROR_CODES.BAD_REQUEST };
}

/** The answer for what was thrown before a request reached GraphQL. */
export function thrownAnswer(error: unknown): ErrorAnswer {
  if (ServiceError.is(error, 'OVERLOADED')) {
    const { code, message, reason, retryAfter } = error;
    return { status: SERVICE_UNAVAILABLE, code, message, reason, retryAfter };
  }
  return errorAnswer((error as { statusCode?: number }).statusCode);
}

/** The JSON body of an {@link ErrorAnswer}. */
export function errorBody({ code, message, reason, retryAfter }: ErrorAnswer, requestId?: string): string {
  const extensions = { code, reason, retryable: retryAfter !== undefined, retryAfter, requestId };
  return JSON.stringify({ errors: [{ message, extensions }] });
}

/** Sends an {@link ErrorAnswer}. */
export function sendErrorAnswer(reply: FastifyReply, answer: ErrorAnswer): void {
  if (answer.retryAfter !== undefined) void reply.header('retry-after', answer.retryAfter);
  void reply
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .send(errorBody(answer, reply.request.id));
}
