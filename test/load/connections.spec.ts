import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { Pool } from 'undici';
import { type LoadOptions } from '../../src/load/limit-load.js';
import { type LimitedServer, startLimitedServer } from '../support/load/limited-server.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

let service: LimitedServer;
let counter: { served: number };
/** Lets the requests of `/slow` be answered. */
let answerSlow: () => void;
afterEach(() => service.close());

async function serve(options: Partial<LoadOptions> = {}): Promise<void> {
  const own = (counter = { served: 0 });
  const slow = new Promise<void>((resolve) => (answerSlow = resolve));
  service = await startLimitedServer((server) => {
    const count = (): string => `served ${(own.served += 1)}`;
    server.get('/livez', count);
    server.get('/small', count);
    server.post('/small', count);
    server.get('/half', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-length': 10 }).write('half');
    });
    server.get('/slow', async () => {
      const answer = count();
      await slow;
      return answer;
    });
  }, options);
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`;
const POST =
  'POST /small HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

/** Everything that comes back, until the connection ends. */
function received(socket: Socket): () => string {
  let all = '';
  socket.on('data', (chunk: Buffer) => (all += chunk.toString()));
  return () => all;
}

describe('a connection that asks ahead', () => {
  it.each([
    ['probes', get('/livez')],
    ['reads', get('/small')],
    ['requests that wait', get('/slow')],
    ['unknown paths', get('/x')],
    ['bodies', POST],
    ['requests without a valid host', 'GET /small HTTP/1.1\r\nhost: ,\r\n\r\n'],
    ['expectations that nothing meets', get('/small', 'expect: more\r\n')],
    ['bodies that wait for a 100', `${POST.slice(0, -6)}\r\nexpect: 100-continue\r\n\r\n{}`],
    ['requests of HTTP/1.0', 'GET /small HTTP/1.0\r\nconnection: keep-alive\r\n\r\n'],
  ])('is cut off, with %s, in its first packet', async (_what, message) => {
    await serve();
    const socket = await service.connect();
    await eventually(() => service.open.size === 1);
    socket.write(message.repeat(1_000));
    await eventually(() => service.open.size === 0);
    expect(counter.served).toBeLessThanOrEqual(8);
    expect(service.load.connections.takeCuts()).toEqual({ pipelined: 1, unread: 0, network: 0 });
    expect(service.load.admission.inFlight).toBeLessThanOrEqual(8);
    answerSlow();
    await eventually(() => service.load.admission.inFlight === 0);
  });

  it('is cut off while everything is refused', async () => {
    await serve({ inFlight: 0 });
    const socket = await service.connect();
    await eventually(() => service.open.size === 1);
    socket.write(get('/small').repeat(1_000));
    await eventually(() => service.open.size === 0);
    expect(service.load.admission.refused.SERVICE_BUSY).toBeLessThanOrEqual(8);
  });

  it('is cut off when it asks again and again without an answer', async () => {
    await serve();
    const socket = await service.connect();
    for (let n = 1; n <= 9; n += 1) {
      socket.write(get('/slow'));
      if (n <= 8) await eventually(() => counter.served === n);
    }
    await eventually(() => service.open.size === 0);
    answerSlow();
  });

  it('is answered if that is a few requests', async () => {
    await serve();
    const socket = await service.connect();
    const all = received(socket);
    socket.resume();
    for (let n = 1; n <= 3; n += 1) {
      socket.write(get('/small').repeat(8));
      await eventually(() => all().includes(`served ${8 * n}`));
    }
  });

  it('makes its network wait: what comes next from there is read one at a time', async () => {
    await serve();
    const limit = Error.stackTraceLimit;
    const first = await service.connect();
    first.write(get('/small').repeat(50));
    await eventually(() => service.load.connections.cuts.pipelined === 1);
    expect(Error.stackTraceLimit).toBe(limit);
    const flood = await Promise.all(Array.from({ length: 40 }, () => service.connect()));
    for (const socket of flood) socket.write(get('/small').repeat(50));
    const other = await service.connect({ localAddress: '127.0.0.2' });
    const all = received(other);
    other.resume().write(get('/small'));
    await eventually(() => all().includes('served'));
    expect(service.open.size).toBeGreaterThan(1);
    await eventually(() => service.open.size === 1);
    expect(service.load.connections.cuts).toEqual({ pipelined: 41, unread: 0, network: 0 });
  });

  it('makes those of its network wait that were opened before and have not asked yet', async () => {
    await serve();
    const flood = await Promise.all(Array.from({ length: 20 }, () => service.connect()));
    await eventually(() => service.open.size === 20);
    for (const socket of flood) socket.write(get('/small').repeat(50));
    const other = await service.connect({ localAddress: '127.0.0.2' });
    const all = received(other);
    other.resume().write(get('/small'));
    await eventually(() => all().includes('served'));
    expect(service.open.size).toBeGreaterThan(1);
    await eventually(() => service.open.size === 1);
    expect(service.load.connections.cuts).toEqual({ pipelined: 20, unread: 0, network: 0 });
  });

  it('makes those of all networks wait for an iteration each, the newest first', async () => {
    await serve();
    const networks = Array.from({ length: 60 }, (_, n) => `127.${10 + n}.0.1`);
    const flood = await Promise.all(networks.map((localAddress) => service.connect({ localAddress })));
    const other = await service.connect({ localAddress: '127.0.0.2' });
    await eventually(() => service.open.size === 61);
    for (const socket of flood) socket.write(get('/small').repeat(50));
    other.resume().write(get('/small'));
    await once(other, 'data');
    expect(service.load.connections.cuts.pipelined).toBeLessThan(30);
    await eventually(() => service.open.size === 1);
    expect(service.load.connections.cuts).toEqual({ pipelined: 60, unread: 0, network: 0 });
  });

  it('lets others of its network in a moment later', async () => {
    await serve();
    const first = await service.connect();
    first.write(get('/small').repeat(50));
    await eventually(() => service.load.connections.cuts.pipelined === 1);
    const neighbors = await Promise.all(Array.from({ length: 10 }, () => service.connect()));
    for (const socket of neighbors) {
      const all = received(socket);
      socket.resume().write(get('/small'));
      await eventually(() => all().includes('served'));
    }
  });

  it('is reported in the log', async () => {
    await serve();
    const socket = await service.connect();
    socket.write(get('/small').repeat(100));
    await eventually(() => service.load.connections.cuts.pipelined === 1);
    await service.close();
    expect(JSON.parse(service.log())).toMatchObject({
      pipelined: 1,
      unread: 0,
      network: 0,
      msg: 'Connections were cut off',
    });
  });
});

describe('a connection that asks one thing after the other', () => {
  it('is kept, however many requests it brings', async () => {
    await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = service.server.server.address() as { port: number };
    for (let n = 0; n < 50; n += 1) {
      const asked = request({ agent, port, path: '/small' }).end();
      const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
      expect(await text(answer)).toBe(`served ${n + 1}`);
    }
    expect(service.open.size).toBe(1);
    agent.destroy();
  });

  it('is kept by undici', async () => {
    await serve();
    const { port } = service.server.server.address() as { port: number };
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 2, pipelining: 1 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const { body, statusCode } = await pool.request({ path: '/small', method: 'GET' });
        await body.dump();
        return statusCode;
      }),
    );
    expect(answers).toEqual(Array(60).fill(200));
    expect(service.load.connections.cuts.pipelined).toBe(0);
    await pool.close();
  });
});

describe('the connections of one network', () => {
  it('leave room for others: two thirds of all while it is alone, less when others have some', async () => {
    await serve({ connections: { open: 12 } });
    const connectFrom = (count: number, localAddress: string): Promise<Socket[]> =>
      Promise.all(Array.from({ length: count }, () => service.connect({ localAddress })));
    await connectFrom(12, '127.0.0.1');
    await eventually(() => service.load.connections.cuts.network === 4 && service.open.size === 8);
    await connectFrom(4, '127.0.0.2');
    await eventually(() => service.load.connections.cuts.network === 5 && service.open.size === 11);
    const third = await service.connect({ localAddress: '127.0.0.3' });
    const all = received(third);
    third.resume().write(get('/small'));
    await eventually(() => all().includes('served 1'));
  });

  it('count no longer once they are closed', async () => {
    await serve({ connections: { open: 3 } });
    for (let n = 0; n < 5; n += 1) {
      const sockets = await Promise.all([service.connect(), service.connect()]);
      await eventually(() => service.open.size === 2);
      for (const socket of sockets) socket.destroy();
      await eventually(() => service.open.size === 0);
    }
    expect(service.load.connections.cuts.network).toBe(0);
  });
});

describe('a connection that is closed by the service', () => {
  it.each([
    ['that is not HTTP', 'nothing of the kind\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'with a head that is too large',
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 /,
    ],
    [
      'with two lengths',
      'GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
  ])(
    'after a request %s is gone a second later, although the caller keeps its side open',
    async (_what, message, answer) => {
      await serve();
      const socket = await service.connect({ allowHalfOpen: true });
      const all = received(socket);
      socket.resume().write(message);
      await once(socket, 'end');
      expect(all()).toMatch(answer);
      await eventually(() => service.open.size === 0);
    },
  );

  it('gets nothing written into an answer that has begun', async () => {
    await serve();
    const socket = await service.connect();
    const all = received(socket);
    socket.resume().write(get('/half'));
    await eventually(() => all().includes('half'));
    socket.write('nothing of the kind\r\n\r\n');
    await once(socket, 'close');
    expect(all()).toMatch(/half$/);
  });
});
