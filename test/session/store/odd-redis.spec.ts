import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };

/** Speaks the protocol of Redis, and gives the same reply to whatever is asked. */
async function startOddRedis(
  reply: string,
): Promise<{ server: Server; url: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      for (const _ of chunk.toString().matchAll(/^\*\d+\r$/gm)) socket.write(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `redis://127.0.0.1:${port}`, connections: () => connections };
}

describe('a redis that answers something else than it was asked', () => {
  let store: RedisSessionStore;
  let server: Server;
  afterEach(async () => {
    await store.close();
    server.close();
  });

  const REPLIES = [
    ['an OK', '+OK\r\n'],
    ['a list of other texts', '*2\r\n$1\r\n1\r\n$1\r\n2\r\n'],
    ['a list of numbers', '*3\r\n:1\r\n:2\r\n:3\r\n'],
    ['a number', ':7\r\n'],
    ['a text', '$3\r\nabc\r\n'],
    ['an empty list', '*0\r\n'],
    ['a list of lists', '*2\r\n*1\r\n:1\r\n*1\r\n:2\r\n'],
    ['nothing', '$-1\r\n'],
  ] as const;

  it.each(REPLIES.filter(([what]) => what !== 'nothing'))(
    'by %s counts as a lost store, and its connection is dropped',
    async (_what, reply) => {
      const odd = await startOddRedis(reply);
      server = odd.server;
      store = await RedisSessionStore.open(odd.url, LIFE);
      const before = odd.connections();
      for (const ask of [
        () => store.read('key'),
        () => store.create('key', 'sealed'),
        () => store.replace('key', 1, 'sealed'),
        () => store.remove('key'),
        () => store.lease('key', 'holder', 1000),
        () => store.settle('key', 'holder', 0),
      ]) {
        await expect(ask()).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
      }
      await eventually(() => odd.connections() > before);
    },
  );

  // Read as counters, most of these are no numbers, and a missing mark would be a place from which the account has logged in.
  it.each(REPLIES)(
    'by %s has told nothing of earlier logins, and its connection is dropped',
    async (_what, reply) => {
      const odd = await startOddRedis(reply);
      server = odd.server;
      store = await RedisSessionStore.open(odd.url, LIFE);
      const logins = store.loginRecords();
      for (const ask of [
        () => logins.look(['one', 'two'], 'place'),
        () => logins.look(['one'], undefined),
        () => logins.addFailure(['one', 'two']),
        () => logins.addLogin('one'),
        ...(reply === '+OK\r\n' ? [] : [() => logins.addPlace('place')]),
        ...(reply === ':7\r\n' ? [] : [() => logins.failuresEndIn('one')]),
      ]) {
        const before = odd.connections();
        // Until the connection is there again, it fails because there is none.
        await eventually(() => expect(ask()).rejects.toThrow('an answer that does not fit the request'));
        await eventually(() => odd.connections() > before);
      }
    },
  );
});
