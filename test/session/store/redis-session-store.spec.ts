import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type RunningRedis, redisMissing, startRedis } from '../../support/session/start-redis.js';
import { ServiceError } from '../../../src/errors/service-error.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };

const suite = redisMissing === undefined ? describe : describe.skip;

suite(`with a redis-server (${redisMissing ?? 'the system has one'}):`, () => {
  let redis: RunningRedis;
  beforeAll(async () => (redis = await startRedis()));
  afterAll(() => redis.close());

  sessionStoreConformance('redis', async (life) => {
    await redis.admin.flushall();
    const store = await RedisSessionStore.open(redis.url, life);
    return {
      store,
      advance: (milliseconds) => ageRedis(redis.admin, milliseconds),
      close: () => store.close(),
    };
  });
});

suite('the redis session store', () => {
  let redis: RunningRedis;
  let store: RedisSessionStore;
  let reports: string[];
  const start = async (settings: string[] = []): Promise<void> => {
    redis = await startRedis(settings);
    store = await RedisSessionStore.open(
      redis.url,
      LIFE,
      new StoreHealth((message) => reports.push(message)),
    );
  };
  beforeEach(() => {
    reports = [];
  });
  afterEach(async () => {
    await store.close();
    await redis.close();
  });

  it('leaves expiry to Redis: ended sessions take no memory', async () => {
    await start();
    await store.create('key', 'sealed');
    const [key = ''] = await redis.admin.keys('portico:session:*');
    const left = await redis.admin.pttl(key);
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);

    await redis.admin.pexpire(key, 1);
    await eventually(async () => {
      expect(await redis.admin.keys('portico:session:*')).toEqual([]);
    });
    expect(await store.read('key')).toBeUndefined();
  });

  it('fails within its time limit while Redis is stalled or gone, and recovers on its own', async () => {
    await start();
    await store.create('key', 'sealed');

    redis.pause();
    const before = performance.now();
    await expect(store.read('key')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    expect(performance.now() - before).toBeLessThan(2000);
    redis.resume();
    await eventually(async () => {
      expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    });

    await redis.kill();
    await expect(store.read('key')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    await redis.restart();
    await eventually(async () => {
      expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    });
    expect(reports).toContain('The session store can be used again');
  });

  it('may be opened before redis is there', async () => {
    redis = await startRedis();
    await redis.kill();
    store = await RedisSessionStore.open(redis.url, LIFE);
    await expect(store.create('key', 'sealed')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    await redis.restart();
    await eventually(() => store.create('key', 'sealed'));
  });

  it('counts a write that is sent again after a lost connection once', async () => {
    await start();
    const expiresAt = await store.create('key', 'first');
    expect(await store.create('key', 'first')).toBe(expiresAt);
    expect(await store.replace('key', 1, 'second')).toBe(true);
    expect(await store.replace('key', 1, 'second')).toBe(true);
    expect(await store.read('key')).toMatchObject({ version: 2, sealed: 'second' });
  });

  it('keeps reading when Redis is full, and refuses new sessions beforehand', async () => {
    await start();
    await store.create('key', 'sealed');
    await redis.admin.config('SET', 'maxmemory', '1kb');

    await expect(store.ping()).rejects.toThrow('The session store is unavailable: OOM');
    await expect(store.create('other', 'sealed')).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
    expect(await store.read('key')).toMatchObject({ sealed: 'sealed' });
    expect(await store.remove('key')).toBe(true);
  });

  it('warns of an eviction policy that can drop sessions, and of no other', async () => {
    await start(['--maxmemory-policy', 'noeviction']);
    await store.ping();
    expect(reports).toEqual([]);
    await redis.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');

    const other = await RedisSessionStore.open(
      redis.url,
      LIFE,
      new StoreHealth((message) => reports.push(message)),
    );
    await eventually(() => {
      expect(reports).toEqual([expect.stringMatching(/may drop sessions.*allkeys-lru/)]);
    });
    await other.close();
  });

  it('logs in with the password of its URL, and never reveals it', async () => {
    const password = 'CANARY-PW-redis';
    redis = await startRedis(['--requirepass', password], { password });
    store = await RedisSessionStore.open(`redis://:${password}@127.0.0.1:${redis.port}/0`, LIFE);
    await store.create('key', 'sealed');

    const wrong = await RedisSessionStore.open(
      `redis://:CANARY-PW-wrong@127.0.0.1:${redis.port}`,
      LIFE,
      new StoreHealth((message) => reports.push(message)),
    );
    await eventually(() => {
      expect(reports[0]).toMatch(/cannot be used: (WRONGPASS|NOAUTH)/);
    });
    const failure: unknown = await wrong.read('key').catch((error: unknown) => error);
    expect(ServiceError.is(failure, 'SESSION_STORE_UNAVAILABLE')).toBe(true);
    expect(`${String(failure)} ${reports.join()}`).not.toContain('CANARY');
    await wrong.close();
  });

  it('does not treat a foreign value under one of its keys as a session', async () => {
    await start();
    await redis.admin.set('portico:session:key', 'not a record');
    expect(await store.read('key')).toBeUndefined();
    expect(await store.replace('key', 1, 'late')).toBe(false);
    expect(await store.remove('key')).toBe(false);
  });
});
