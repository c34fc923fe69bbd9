import { STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';

import { toRefusalAnswer } from './answer.js';
import { Refusal } from './errors.js';

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers a request that is not HTTP, has too large headers or arrives too slowly, in JSON like everything else. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = STATUSES[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const { headers, body } = toRefusalAnswer(new Refusal(status, 'ERR006', `HTTP ${status} ${reason}`));
  const head = [`HTTP/1.1 ${status} ${reason}`, 'connection: close', `content-length: ${body.length}`];
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
