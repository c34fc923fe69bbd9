import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { type ConnectionError, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { CACHE_CONTROL, REQUEST_ID_HEADER, setAnswerHeaders } from './answer-headers.js';
import { type ErrorAnswer, errorAnswer, errorBody, sendErrorAnswer } from './error-answer.js';

const STATUS_BY_FAULT = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);
const BAD_REQUEST = 400;
const NO_HTTP: ErrorAnswer = {
  status: BAD_REQUEST,
  code: 'BAD_REQUEST',
  message: 'What was sent is not HTTP',
};

/** Answers what is not HTTP, or does not end, and closes its connection: there is no request to answer otherwise. */
export function answerBrokenHttp(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...answer } = STATUS_BY_FAULT.has(error.code)
    ? errorAnswer(STATUS_BY_FAULT.get(error.code))
    : NO_HTTP;
  const id = randomUUID();
  const body = errorBody({ status, ...answer }, id);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `${REQUEST_ID_HEADER}: ${id}`,
      `cache-control: ${CACHE_CONTROL}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Answers an address that cannot be decoded. No hook has seen such a request. */
export function answerBadAddress(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  setAnswerHeaders(reply);
  sendErrorAnswer(reply, {
    status: BAD_REQUEST,
    code: 'BAD_REQUEST',
    message: 'The address of the request cannot be read',
  });
}
