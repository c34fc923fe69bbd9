import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ownBytes } from 'portico/internal';
import { type LoadOptions } from '../../src/load/limit-load.js';
import { type LimitedServer, startLimitedServer } from '../support/load/limited-server.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

const MEGABYTE = 1024 * 1024;
/** More than loopback sockets buffer between the two ends. */
const LARGE = 'x'.repeat(24 * MEGABYTE);
/** Base64 does not shrink much, so that it stays large. */
const NOISE = randomBytes(12 * MEGABYTE).toString('base64');

let service: LimitedServer;
/** The last one of `/owned`, in memory that holds nothing else. */
let owned: Buffer;
/** The last one of `/bytes`, which the route may send again. */
let bytes: Buffer;
/** Milliseconds of the clock of the service. */
let now: number;
afterEach(() => service.close());

async function serve(
  connections: LoadOptions['connections'] = {},
  options: Partial<LoadOptions> = {},
): Promise<void> {
  now = 0;
  service = await startLimitedServer(
    (server) => {
      server.get('/large', (_request, reply) => reply.type('text/plain').send(LARGE));
      server.get('/noise', (_request, reply) => {
        reply.mayBeCompressed = true;
        return reply.type('text/plain').send(NOISE);
      });
      server.get('/bytes', (_request, reply) => reply.send((bytes = Buffer.from(LARGE))));
      server.get('/owned', (_request, reply) => reply.send((owned = ownBytes(Buffer.from(LARGE)))));
      server.get('/livez', (_request, reply) => reply.type('text/plain').send(LARGE));
      server.get('/small', () => 'small');
    },
    { connections: { bytesPerSecond: 1, ...connections }, now: () => (now += 0.001), ...options },
  );
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nhost: test\r\n${headers}\r\n`;

/** As the timer of the service does it. */
function sweepAfter(milliseconds: number): void {
  now += milliseconds;
  service.load.connections.sweep();
}

/** Reads at least that many more bytes, and no more than one chunk beyond. */
function readMore(socket: Socket, bytes: number): Promise<void> {
  const end = socket.bytesRead + bytes;
  return new Promise((resolve) => {
    const look = (): void => {
      if (socket.bytesRead < end) return;
      socket.off('data', look).pause();
      resolve();
    };
    socket.on('data', look).resume();
  });
}

const unsent = (): number => service.load.connections.unsentBytes;
/** Whether something waits in the process for its reader. */
const isWaiting = (): boolean => [...service.open].some(({ writableLength }) => writableLength > 0);

describe('an answer', () => {
  it.each(['/large', '/bytes', '/noise'])(
    'of %s arrives whole, and takes no memory afterwards',
    async (path) => {
      await serve();
      const { port } = service.server.server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(await response.text()).toBe(path === '/noise' ? NOISE : LARGE);
      await eventually(() => unsent() === 0);
    },
  );

  it('gives its memory back once its reader has taken it, if that holds nothing else', async () => {
    await serve();
    const { port } = service.server.server.address() as AddressInfo;
    for (const path of ['/owned', '/bytes']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(await response.text()).toBe(LARGE);
    }
    await eventually(() => owned.length === 0);
    expect(bytes.toString()).toBe(LARGE);
  });

  it('keeps its memory while the system may still read it, as when the reader hangs up', async () => {
    await serve();
    const socket = await service.connect();
    socket.write(get('/owned'));
    await eventually(isWaiting);
    socket.destroy();
    await eventually(() => unsent() === 0);
    expect(owned.toString()).toBe(LARGE);
  });

  it.each(['/large', '/bytes', '/livez', '/noise'])(
    'of %s that is not read is cut off after 10 s',
    async (path) => {
      await serve();
      const socket = await service.connect();
      socket.write(get(path));
      await eventually(isWaiting);
      sweepAfter(1);
      sweepAfter(9_900);
      expect(service.open.size).toBe(1);
      sweepAfter(200);
      await eventually(() => service.open.size === 0);
      await eventually(() => unsent() === 0);
      expect(service.load.connections.takeCuts()).toEqual({ pipelined: 0, unread: 1, network: 0 });
    },
  );

  it('that is not read is cut off although the caller goes on sending', async () => {
    await serve();
    const socket = await service.connect();
    socket.write(get('/large'));
    await eventually(isWaiting);
    for (let n = 0; n < 6; n += 1) {
      sweepAfter(2_000);
      socket.write(get('/small'));
    }
    await eventually(() => service.open.size === 0);
    expect(service.load.connections.cuts.unread).toBe(1);
  });

  it('that is read too slowly in all is cut off, although it is read', async () => {
    await serve({ bytesPerSecond: MEGABYTE });
    const socket = await service.connect();
    socket.write(get('/large'));
    await eventually(isWaiting);
    sweepAfter(1);
    // 24 MB may take 24 s, and 10 s more.
    for (let n = 0; n < 4; n += 1) {
      await readMore(socket, 200_000);
      sweepAfter(8_000);
      expect(service.open.size).toBe(1);
    }
    await readMore(socket, 2 * MEGABYTE);
    sweepAfter(8_000);
    await eventually(() => service.open.size === 0);
  });

  it('gets space from those that have waited longest for their readers', async () => {
    await serve({ unsentBytes: 60 * MEGABYTE });
    const silent = async (): Promise<Awaited<ReturnType<LimitedServer['connect']>>> => {
      const before = unsent();
      const socket = await service.connect();
      socket.write(get('/large'));
      await eventually(() => unsent() !== before);
      now += 10;
      return socket;
    };
    expect(service.load.connections.hasRoom()).toBe(true);
    const first = await silent();
    expect(service.load.connections.hasRoom()).toBe(false);
    const second = await silent();
    const third = await service.connect();
    third.write(get('/large'));
    await eventually(() => service.load.connections.cuts.unread === 1);
    first.resume();
    await once(first, 'close');
    expect(first.bytesRead).toBeLessThan(LARGE.length);
    expect(unsent()).toBe(2 * LARGE.length);
    for (const socket of [second, third]) {
      socket.resume();
      await eventually(() => socket.bytesRead > LARGE.length);
    }
    await eventually(() => unsent() === 0);
  });

  it('gets space from the network that has most of it', async () => {
    await serve({ unsentBytes: 60 * MEGABYTE });
    for (const localAddress of ['127.0.0.2', '127.0.0.1', '127.0.0.1']) {
      const before = unsent();
      const socket = await service.connect({ localAddress });
      socket.write(get('/large'));
      await eventually(() => unsent() !== before || service.load.connections.cuts.unread === 1);
      now += 10;
    }
    await eventually(() => service.open.size === 2);
    expect([...service.open].map(({ remoteAddress }) => remoteAddress)).toEqual(['127.0.0.2', '127.0.0.1']);
  });

  it('is the last one of a connection that asks for more before it has read any', async () => {
    await serve();
    const socket = await service.connect();
    socket.write(get('/large'));
    await eventually(isWaiting);
    socket.write(get('/large'));
    await eventually(() => service.open.size === 0);
    expect(service.load.connections.cuts.unread).toBe(1);
    await eventually(() => unsent() === 0);
  });

  it('counts by its compressed bytes once it waits for its reader', async () => {
    await serve();
    const socket = await service.connect();
    socket.write(get('/noise', 'accept-encoding: gzip\r\n'));
    let most = 0;
    await eventually(() => {
      most = Math.max(most, unsent());
      return unsent() > 0 && unsent() < 13 * MEGABYTE;
    });
    expect(most).toBeGreaterThan(15 * MEGABYTE);
  });

  it('takes no memory when its caller hung up while it was compressed', async () => {
    await serve();
    const socket = await service.connect();
    socket.write(get('/noise', 'accept-encoding: gzip\r\n'));
    await eventually(() => unsent() > 15 * MEGABYTE);
    socket.destroy();
    await eventually(() => unsent() === 0);
  });

  it('that is small and read does not change the connection', async () => {
    await serve();
    const socket = await service.connect();
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.resume();
    for (let n = 1; n <= 3; n += 1) {
      socket.write(get('/small'));
      await eventually(() => text.split('small').length === n + 1);
      sweepAfter(60_000);
    }
    expect(service.open.size).toBe(1);
    expect(unsent()).toBe(0);
  });
});
