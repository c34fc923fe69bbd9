import { once } from 'node:events';
import { type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptJsonOnly } from '../../src/http/json-body.js';
import { limitBodies } from '../../src/http/limit-bodies.js';
import { type LimitedServer, startLimitedServer } from '../support/load/limited-server.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

const MEGABYTE = 1024 * 1024;

describe('a refusal that comes before the end of a long body', () => {
  let service: LimitedServer;
  beforeEach(async () => {
    service = await startLimitedServer((server) => {
      acceptJsonOnly(server);
      limitBodies(server, { usual: 1000, large: 2000, mayBeLarge: () => false });
      server.post('/graphql', () => 'served');
      server.get('/graphql', () => 'served');
    });
  });
  afterEach(() => service.close());

  const head = (path: string, more: string): string =>
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;
  const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;

  /** What comes back, and how the connection ends. */
  function conversation(socket: Socket): () => string {
    let text = '';
    socket.on('data', (data: Buffer) => (text += data.toString()));
    socket.on('error', ({ message }) => (text += message));
    return () => text;
  }

  it.each([
    ['a body over the limit', head('/graphql', `content-length: ${MEGABYTE}`), '413'],
    ['a body without a route', head('/x', `content-length: ${MEGABYTE}`), '413'],
    ['a body of an encoding', head('/graphql', `content-encoding: br\r\ncontent-length: ${MEGABYTE}`), '415'],
    [
      'a body for no valid host',
      head('/graphql', `content-length: ${MEGABYTE}`).replace('host: a', 'host: ,'),
      '400',
    ],
  ])('reaches a caller who first sends all of it: %s', async (_what, message, status) => {
    const socket = await service.connect();
    const text = conversation(socket);
    socket.write(message);
    // As a proxy does: it writes on for a while although the answer is there.
    for (let sent = 0; sent < MEGABYTE; sent += MEGABYTE / 8) {
      if (!socket.write(Buffer.alloc(MEGABYTE / 8, ' '))) await once(socket, 'drain');
    }
    expect(socket.destroyed).toBe(false);
    socket.resume();
    await once(socket, 'close');
    expect(text()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*connection: close[^]*}$`, 'i'));
    expect(text().match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('comes before the body has ended', async () => {
    const socket = await service.connect();
    const text = conversation(socket);
    socket.resume().write(head('/graphql', `content-length: ${MEGABYTE}`));
    await eventually(() => text().includes('Payload Too Large"'));
    expect(service.open.size).toBe(1);
    socket.write(Buffer.alloc(MEGABYTE, ' '));
    await eventually(() => service.open.size === 0);
  });

  it('reaches a caller whose body does not say its length', async () => {
    const socket = await service.connect();
    const text = conversation(socket);
    socket.write(head('/graphql', 'transfer-encoding: chunked'));
    for (let sent = 0; sent < 16; sent += 1) socket.write(chunk(MEGABYTE / 16));
    socket.write('0\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(text()).toMatch(/^HTTP\/1.1 413 [^]*}$/);
  });

  it('is followed by the end of the connection after a few megabytes', async () => {
    const socket = await service.connect();
    socket.resume().write(head('/graphql', `content-length: ${1024 * MEGABYTE}`));
    const [held] = service.open;
    const sending = setInterval(() => socket.write(Buffer.alloc(MEGABYTE / 4, ' ')), 1);
    await eventually(() => service.open.size === 0);
    clearInterval(sending);
    expect(held?.bytesRead).toBeGreaterThan(4 * MEGABYTE);
    expect(held?.bytesRead).toBeLessThan(8 * MEGABYTE);
  });

  it('leaves the connection as it is after a short body', async () => {
    const socket = await service.connect();
    const text = conversation(socket);
    socket.resume();
    for (let n = 1; n <= 2; n += 1) {
      socket.write(`${head('/x', 'content-encoding: br\r\ncontent-length: 900')}${' '.repeat(900)}`);
      await eventually(() => text().match(/HTTP\/1.1 415/g)?.length === n);
    }
    expect(text()).not.toMatch(/connection: close/i);
  });
});
