import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import {
  type ConnectionError,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { FIXED_HEADERS, REQUEST_ID_HEADER, setAnswerHeaders } from './answer-headers.js';
import { type ErrorAnswer, errorAnswer, errorBody, sendErrorAnswer } from './error-answer.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether part of an answer has been written to a connection: nothing else may be written into it. */
    isAnswering: (socket: Socket) => boolean;
  }
}

/** How long a caller has to read the answer and to close its side. */
const CLOSING_MS = 1_000;
const STATUS_BY_FAULT = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);
const BAD_REQUEST = 400;
const INVALID_HTTP: ErrorAnswer = {
  status: BAD_REQUEST,
  code: 'BAD_REQUEST',
  message: 'The request is not valid HTTP',
};

/**
 * Answers a request that is not valid HTTP or never completes, and closes its connection, whether the caller does so
 * or not.
 */
export function answerBrokenHttp(this: FastifyInstance, error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || this.isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, ...answer } = STATUS_BY_FAULT.has(error.code)
    ? errorAnswer(STATUS_BY_FAULT.get(error.code))
    : INVALID_HTTP;
  const id = randomUUID();
  const body = errorBody({ status, ...answer }, id);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `${REQUEST_ID_HEADER}: ${id}`,
      ...Object.entries(FIXED_HEADERS).map(([name, value]) => `${name}: ${value}`),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), CLOSING_MS).unref();
}

/** Answers a URL that cannot be decoded. Hooks do not run for such a request. */
export function answerBadAddress(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  setAnswerHeaders(reply);
  sendErrorAnswer(reply, {
    status: BAD_REQUEST,
    code: 'BAD_REQUEST',
    message: 'The URL of the request cannot be decoded',
  });
}
