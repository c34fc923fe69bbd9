import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { sendAnswers } from '../../src/load/send-answers.js';
import { UnsentAnswers, type UnsentLimits } from '../../src/load/unsent-answers.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

const MEGABYTE = 1024 * 1024;
/** More than loopback sockets buffer between the two ends. */
const LARGE = 'x'.repeat(24 * MEGABYTE);
const PATIENT: UnsentLimits = { idleMs: 60_000, bytesPerSecond: 1, bytes: 1024 * MEGABYTE };

let server: FastifyInstance;
let gotRoom = 0;
const onRoom = (): void => void (gotRoom += 1);
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function serve(limits: UnsentLimits, now?: () => number): Promise<UnsentAnswers> {
  const unsent = new UnsentAnswers({ limits, now, onRoom });
  server = fastify({ forceCloseConnections: true });
  sendAnswers(server, unsent);
  server.get('/large', (_request, reply) => reply.type('text/plain').send(LARGE));
  server.get('/small', (_request, reply) => reply.send('small'));
  await server.listen({ host: '127.0.0.1', port: 0 });
  return unsent;
}

/** A caller that asks for a path and reads nothing until it is told to. */
async function silentCaller(path: string, headers = ''): Promise<Socket> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: test\r\n${headers}\r\n`);
  return socket;
}

describe('a large answer', () => {
  it('arrives whole and unchanged, with its length, and takes no memory afterwards', async () => {
    const unsent = await serve(PATIENT);
    const response = await fetch(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}/large`);
    expect(response.headers.get('content-length')).toBe(String(LARGE.length));
    expect(await response.text()).toBe(LARGE);
    await eventually(() => {
      expect(unsent.bytes).toBe(0);
    });
  });

  it('that nobody reads is cut off', async () => {
    const unsent = await serve({ ...PATIENT, idleMs: 30 });
    const closed = new Promise((resolve) =>
      server.server.once('connection', (socket) => socket.once('close', resolve)),
    );
    await silentCaller('/large');
    await closed;
    await eventually(() => {
      expect(unsent.bytes).toBe(0);
    });
  });

  it('that is read too slowly in all is cut off, although it is read', async () => {
    let now = 0;
    const unsent = await serve({ ...PATIENT, bytesPerSecond: MEGABYTE }, () => now);
    const socket = await silentCaller('/large');
    await eventually(() => {
      expect(unsent.bytes).toBe(LARGE.length);
    });
    now += PATIENT.idleMs + 25_000;
    socket.resume();
    await once(socket, 'close');
    expect(socket.bytesRead).toBeLessThan(LARGE.length);
    expect(unsent.bytes).toBe(0);
  });

  it('gets space from those that have waited longest for their readers', async () => {
    let now = 0;
    const unsent = await serve({ ...PATIENT, bytes: 60 * MEGABYTE }, () => (now += 1));
    const first = await silentCaller('/large');
    await eventually(() => {
      expect(unsent.bytes).toBe(LARGE.length);
    });
    expect(unsent.hasRoom()).toBe(true);
    const second = await silentCaller('/large');
    await eventually(() => {
      expect(unsent.bytes).toBe(2 * LARGE.length);
    });
    expect(unsent.hasRoom()).toBe(false);
    const third = await silentCaller('/large');
    first.resume();
    await once(first, 'close');
    expect(first.bytesRead).toBeLessThan(LARGE.length);
    expect(unsent.bytes).toBe(2 * LARGE.length);
    for (const socket of [second, third]) {
      socket.resume();
      await eventually(() => {
        expect(socket.bytesRead).toBeGreaterThan(LARGE.length);
      });
    }
    await eventually(() => {
      expect(unsent.bytes).toBe(0);
    });
    expect(gotRoom).toBeGreaterThan(0);
  });
});

describe('a compressed answer', () => {
  /** Serves an answer that does not shrink much, so that it stays large. */
  async function serveCompressed(limits: UnsentLimits): Promise<UnsentAnswers> {
    const text = randomBytes(24 * MEGABYTE).toString('base64');
    const unsent = new UnsentAnswers({ limits, onRoom });
    server = fastify({ forceCloseConnections: true });
    sendAnswers(server, unsent);
    server.get('/large', (_request, reply) => {
      reply.mayBeCompressed = true;
      return reply.type('text/plain').send(text);
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    return unsent;
  }

  it('counts by its compressed bytes once it waits for its reader, and is cut off if nobody reads it', async () => {
    const unsent = await serveCompressed({ ...PATIENT, idleMs: 500 });
    const socket = await silentCaller('/large', 'accept-encoding: gzip\r\n');
    let most = 0;
    const closed = once(socket, 'close');
    await eventually(() => {
      most = Math.max(most, unsent.bytes);
      expect(unsent.bytes).toBeGreaterThan(20 * MEGABYTE);
      expect(unsent.bytes).toBeLessThan(26 * MEGABYTE);
    });
    expect(most).toBeGreaterThan(30 * MEGABYTE);
    await eventually(() => {
      expect(unsent.bytes).toBe(0);
    });
    socket.resume();
    await closed;
  });

  it('takes no memory when its caller hung up while it was compressed', async () => {
    const unsent = await serveCompressed(PATIENT);
    const socket = await silentCaller('/large', 'accept-encoding: gzip\r\n');
    await eventually(() => {
      expect(unsent.bytes).toBeGreaterThan(30 * MEGABYTE);
    });
    socket.destroy();
    await eventually(() => {
      expect(unsent.bytes).toBe(0);
    });
  });
});

describe('a small answer', () => {
  it('does not change the connection', async () => {
    const unsent = await serve({ ...PATIENT, idleMs: 20 });
    const socket = await silentCaller('/small');
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.resume();
    await eventually(() => {
      expect(text).toContain('small');
    });
    expect(unsent.bytes).toBe(0);
    text = '';
    socket.write('GET /small HTTP/1.1\r\nhost: test\r\n\r\n');
    await eventually(() => {
      expect(text).toContain('small');
    });
  });
});
