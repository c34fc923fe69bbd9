/**
 * Run as a process of its own: the platform of the bench, on bare sockets with answers made beforehand, so that it costs
 * little beside the system under test. A login gives a token and a cookie, and every other call needs both of one login.
 * It sends its port to its parent, and takes the milliseconds to wait before each answer.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { BODIES } from './answers.ts';

const SHARED = 'Cache-Control: no-cache, no-store, max-age=0, must-revalidate\r\nConnection: keep-alive\r\n';
const NO_CONTENT = Buffer.from(`HTTP/1.1 204 No Content\r\n${SHARED}\r\n`);
const EXPIRED = json(
  '401 Unauthorized',
  '{"code":"ERR009","message":"The session has expired.","ticketId":"x"}',
);
const NOT_FOUND = json('404 Not Found', '{"code":"ERR004","message":"Not found."}');
const ANSWERS = new Map(Array.from(BODIES, ([call, body]) => [call, json('200 OK', body)]));

const cookies = new Map<string, string>();
let delay = 0;

function json(status: string, body: string): Buffer {
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${SHARED}Content-Length: ${length}\r\n\r\n${body}`,
  );
}

function login(): Buffer {
  const token = randomBytes(18).toString('base64url');
  const cookie = randomBytes(16).toString('hex').toUpperCase();
  cookies.set(token, cookie);
  const headers = `X-SVC-AuthToken: ${token}\r\nSet-Cookie: JSESSIONID=${cookie}; Path=/api; HttpOnly\r\n`;
  return Buffer.from(`HTTP/1.1 204 No Content\r\n${headers}${SHARED}\r\n`);
}

function answer(head: string): Buffer {
  const call = head.slice(0, head.indexOf(' HTTP/'));
  if (call === 'POST /api/auth/login') return login();
  const token = /\r\nx-svc-authtoken: ([^\r]+)/i.exec(head)?.[1] ?? '';
  const cookie = /\r\ncookie: (?:[^\r]*;\s*)?JSESSIONID=([^;\r]+)/i.exec(head)?.[1];
  if (cookie === undefined || cookies.get(token) !== cookie) return EXPIRED;
  if (call === 'POST /api/auth/logout') cookies.delete(token);
  if (call === 'POST /api/auth/logout' || call === 'PUT /api/sessions') return NO_CONTENT;
  return ANSWERS.get(call) ?? NOT_FOUND;
}

/** Where the request ends that begins with this head, or -1 where its body has not come whole. */
function endOf(text: string, headEnd: number): number {
  const head = text.slice(0, headEnd);
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    const last = text.indexOf('0\r\n\r\n', headEnd);
    return last === -1 ? -1 : last + 5;
  }
  const end = headEnd + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return text.length < end ? -1 : end;
}

function serve(socket: Socket): void {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n') + 4;
      const end = headEnd === 3 ? -1 : endOf(text, headEnd);
      if (end === -1) return;
      const bytes = answer(text.slice(0, headEnd));
      text = text.slice(end);
      if (delay === 0) socket.write(bytes);
      else setTimeout(() => socket.writable && socket.write(bytes), delay);
    }
  });
}

const server = createServer({ noDelay: true }, serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('message', (milliseconds: number) => {
  delay = milliseconds;
  process.send?.('set');
});
process.on('disconnect', () => process.exit());
