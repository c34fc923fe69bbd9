import { describe, expect, it } from 'vitest';
import { createServer, connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { withinTime } from '../../../src/session/store/redis-client.js';

const LIMIT_MS = 30;

describe('an answer within a time', () => {
  it('is passed on, and so is its failure', async () => {
    await expect(withinTime(Promise.resolve('answer'), LIMIT_MS)).resolves.toBe('answer');
    await expect(withinTime(Promise.reject(new Error('no')), LIMIT_MS)).rejects.toThrow('no');
  });

  it('is given up when it does not come in time', async () => {
    await expect(withinTime(new Promise(() => undefined), LIMIT_MS)).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
  });

  it('counts if it came in time and this process was too busy to read it', async () => {
    const server = createServer((socket) => socket.end('answer'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const answer = withinTime(
      once(socket, 'data').then(([chunk]) => String(chunk)),
      LIMIT_MS,
    );
    await once(socket, 'connect');
    const until = performance.now() + LIMIT_MS * 2;
    await new Promise((resolve) => setTimeout(resolve, 5));
    while (performance.now() < until);
    await expect(answer).resolves.toBe('answer');
    server.close();
  });
});
