import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { PlatformClient } from 'portico/client';
import { storeKey } from '../../../src/session/handle.js';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { startUserPlatform } from '../../support/embedded-platform/user-platform.js';
import { type ReplyFault, startReplyProxy } from '../../support/session/reply-proxy.js';
import { beginSession, requestWith, serverKey, sessionService } from '../../support/session/session-bench.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };
const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' };
const NONE = '$-1\r\n';
const KEYS = ['a', 'b', 'c'];

/** One database of Redis for each test, which all run together: most of their time is waiting for a connection. */
const DATABASES = 64;
const suite = redisMissing === undefined ? describe.concurrent : describe.skip;

suite(
  `replies of Redis that belong to no command or to another one${redisMissing ? ` (${redisMissing})` : ''}`,
  () => {
    let redis: RunningRedis;
    let used = 0;
    beforeAll(async () => {
      redis = await startRedis(['--databases', String(DATABASES)]);
    });
    afterAll(() => redis.close());

    async function begin({ onTestFinished }: TestContext) {
      const reports: string[] = [];
      const proxy = await startReplyProxy(redis.port);
      const store = await RedisSessionStore.open(
        `${proxy.url}/${(used += 1)}`,
        LIFE,
        new StoreHealth((message) => reports.push(message)),
      );
      onTestFinished(async () => {
        await store.close();
        await proxy.close();
      });
      for (const key of KEYS) await eventually(() => store.create(key, `sealed ${key}`));

      /** What a read says: its own session, or that the store cannot be asked. Anything else is a mix-up. */
      const outcome = (key: string): Promise<'right' | 'unavailable'> =>
        store.read(key).then(
          (found) => {
            expect(found).toMatchObject({ sealed: `sealed ${key}` });
            return 'right';
          },
          (error: unknown) => {
            expect(error).toMatchObject(UNAVAILABLE);
            return 'unavailable';
          },
        );
      const isBack = (): Promise<void> =>
        eventually(async () => {
          expect(await Promise.all(KEYS.map(outcome))).toEqual(['right', 'right', 'right']);
        });
      return { proxy, store, reports, outcome, isBack };
    }

    it.for<[string, string]>([
      ['a missing value', NONE],
      ['a missing value of RESP 3', '_\r\n'],
      ['a missing list', '*-1\r\n'],
      ['an OK', '+OK\r\n'],
      ['a number', ':1\r\n'],
      ['an error', '-ERR something\r\n'],
      ['a string', '$3\r\nabc\r\n'],
      ['a list', '*2\r\n$1\r\na\r\n*1\r\n:1\r\n'],
      ['half a string', '$30\r\nabc'],
    ])('end an idle connection, and not the process: %s', async ([, reply], context) => {
      const { proxy, reports, outcome, isBack } = await begin(context);
      const before = proxy.connections();
      proxy.inject(reply);
      if (reply.endsWith('\r\n')) await eventually(() => proxy.connections() > before);
      else await outcome('a');
      await isBack();
      expect(proxy.connections()).toBe(before + 1);
      await eventually(() => {
        expect(reports.at(-1)).toBe('The session store can be used again');
      });
    });

    it.for<[string, ReplyFault]>([
      ['one too many before it', { before: NONE }],
      ['one too many after it', { after: NONE }],
      ['an error before it', { before: '-OOM no memory\r\n' }],
      [
        'the reply of an earlier command before it',
        { before: '*3\r\n$1\r\nx\r\n$13\r\n1700000000000\r\n$-1\r\n' },
      ],
      ['a copy of itself', 'repeat'],
      ['nothing', 'lose'],
      ['the next reply', 'swap'],
    ])('never make a session another one or none when a read gets %s', async ([, fault], context) => {
      const { proxy, outcome, isBack } = await begin(context);
      const before = proxy.connections();
      proxy.spoil(fault);
      const outcomes = await Promise.all(KEYS.map(outcome));
      expect(outcomes).toContain('unavailable');
      await isBack();
      expect(proxy.connections()).toBe(before + 1);
    });

    it('end the connection within a few seconds if one is lost while nothing else is asked', async (context) => {
      const { proxy, outcome, isBack } = await begin(context);
      const before = proxy.connections();
      proxy.spoil('lose');
      expect(await outcome('a')).toBe('unavailable');
      await eventually(() => proxy.connections() > before);
      await isBack();
    });

    it('are not believed if they are of an earlier state of the same session', async (context) => {
      const { proxy, store } = await begin(context);
      proxy.spoil('lose');
      const [early, isReplaced, late] = await Promise.allSettled([
        store.read('a'),
        store.replace('a', 1, 'sealed anew'),
        store.read('a'),
      ]);
      expect([early, isReplaced, late].map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
      await eventually(async () => {
        expect(await store.read('a')).toMatchObject({ version: 2, sealed: 'sealed anew' });
      });
    });

    it.for<[string, (store: RedisSessionStore) => Promise<unknown>]>([
      ['the history of logins', (store) => store.loginRecords().look(['one', 'two'], 'place')],
      ['a count of logins', (store) => store.loginRecords().addLogin('one')],
      ['a lease', (store) => store.lease('a', 'holder', 1000)],
      ['a peek', (store) => store.peek('a')],
      ['a ping', (store) => store.ping()],
      ['a removal', (store) => store.remove('unknown')],
    ])('are not taken for %s', async ([, ask], context) => {
      const { proxy, store, isBack } = await begin(context);
      proxy.spoil({ before: NONE });
      await expect(ask(store)).rejects.toMatchObject(UNAVAILABLE);
      await isBack();
      await ask(store);
    });

    it('neither end a session nor clear its cookie', async (context) => {
      const { proxy, store, isBack } = await begin(context);
      const platform = await startUserPlatform();
      const client = new PlatformClient({ baseUrl: platform.baseUrl });
      const service = sessionService(store, client, [serverKey('a')]);
      const handle = await beginSession(service, client, 'alice');
      for (const fault of [{ before: NONE }, 'lose', 'repeat'] as const) {
        proxy.spoil(fault);
        const contexts = KEYS.map(() => requestWith(handle, 'bearer'));
        const outcomes = await Promise.allSettled(contexts.map((context) => service.isOpen(context)));
        for (const each of outcomes) {
          if (each.status === 'rejected') expect(each.reason).toMatchObject(UNAVAILABLE);
          else expect(each.value).toBe(true);
        }
        expect(contexts.map(({ cookie }) => cookie)).toEqual(Array(3).fill(undefined));
        await isBack();
      }
      expect(await store.read(storeKey(handle))).toBeDefined();
      await client.close();
      await platform.close();
    });
  },
);
