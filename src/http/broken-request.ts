import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { type ConnectionError, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorAnswer, errorBody, sendErrorAnswer } from './error-answer.js';

const STATUS_BY_FAULT = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);
const BAD_REQUEST = 400;

/** Answers what is not HTTP, or does not end, and closes its connection: there is no request to answer otherwise. */
export function answerBrokenHttp(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...answer } = errorAnswer(STATUS_BY_FAULT.get(error.code) ?? BAD_REQUEST);
  const id = randomUUID();
  const body = errorBody({ status, ...answer }, id);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${id}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Answers an address that cannot be decoded. No hook has seen such a request. */
export function answerBadAddress(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  sendErrorAnswer(reply, errorAnswer(BAD_REQUEST));
}
