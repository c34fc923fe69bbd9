import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { holdTimers } from '../../packages/portico/test/support/client/hold-timers.js';
import { rawExchange } from '../../packages/portico/test/support/raw-exchange.js';
import { answerBadAddress, answerBrokenHttp } from '../../src/http/broken-request.js';

let server: FastifyInstance;
let callers: Socket[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const caller of callers) caller.destroy();
  callers = [];
  await server.close();
});

/** Starts a server, and gives its address. */
function start(isAnswering = (): boolean => false, headersTimeout = 60_000): Promise<string> {
  server = Fastify({
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: answerBadAddress,
    forceCloseConnections: true,
    http: { headersTimeout, connectionsCheckingInterval: 10, maxHeaderSize: 1_000 },
  });
  server.decorate('isAnswering', isAnswering);
  server.get('/:name', () => 'here');
  return server.listen({ host: '127.0.0.1', port: 0 });
}

/** A caller that never ends its side, and the server's end of its connection. */
async function connected(isAnswering?: () => boolean): Promise<{ caller: Socket; socket: Socket }> {
  await start(isAnswering);
  const { port } = server.server.address() as AddressInfo;
  const accepted = once(server.server, 'connection');
  const caller = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  callers.push(caller);
  const [socket] = (await accepted) as [Socket];
  return { caller, socket };
}

interface Parts {
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function partsOf(answer: string): Parts {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  return {
    status,
    headers: Object.fromEntries(lines.map((line) => line.split(': ') as [string, string])),
    body,
  };
}

describe('a request that is not valid HTTP', () => {
  it('is answered as any other, and its connection closed', async () => {
    const { status, headers, body } = partsOf(await rawExchange(await start(), 'NOT HTTP\r\n\r\n'));

    expect(status).toBe('HTTP/1.1 400 Bad Request');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'private, no-store',
      connection: 'close',
    });
    expect(JSON.parse(body)).toEqual({
      errors: [
        {
          message: 'The request is not valid HTTP',
          extensions: { code: 'BAD_REQUEST', retryable: false, requestId: headers['x-request-id'] },
        },
      ],
    });
  });

  it('is told if its headers are too large', async () => {
    const bytes = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(2_000)}\r\n\r\n`;
    expect(partsOf(await rawExchange(await start(), bytes)).status).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('is told if it does not come to an end in time', async () => {
    const { port } = new URL(await start(undefined, 20));
    const caller = connect({ port: Number(port), host: '127.0.0.1' });
    callers.push(caller);
    caller.write('GET / HTTP/1.1\r\n');
    const [answer] = (await once(caller, 'data')) as [Buffer];
    expect(partsOf(answer.toString()).status).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('gets nothing where part of an answer is on its way, which it would be read as a part of, and is cut off', async () => {
    const { caller, socket } = await connected(() => true);
    const received: Buffer[] = [];
    caller.on('data', (bytes: Buffer) => received.push(bytes));
    caller.write('NOT HTTP\r\n\r\n');
    await once(socket, 'close');
    expect(received).toEqual([]);
  });

  it('is cut off at once if more of it follows after the answer', async () => {
    holdTimers('setTimeout');
    const { caller, socket } = await connected();
    caller.resume();
    caller.write('NOT HTTP\r\n\r\n');
    await once(caller, 'end');
    const closed = once(socket, 'close');
    caller.write('NOT HTTP\r\n\r\n');
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('has a second to take the answer, and is then cut off', async () => {
    holdTimers('setTimeout');
    const { caller, socket } = await connected();
    caller.resume();
    caller.write('NOT HTTP\r\n\r\n');
    await once(caller, 'end');
    vi.advanceTimersByTime(999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.destroyed).toBe(true);
  });
});

describe('a URL that cannot be decoded', () => {
  it('is answered as any other request', async () => {
    await start();
    const answer = await server.inject({ url: '/%FF' });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'x-request-id': expect.any(String),
    });
    expect(answer.json()).toMatchObject({
      errors: [{ message: 'The URL of the request cannot be decoded', extensions: { code: 'BAD_REQUEST' } }],
    });
  });
});
