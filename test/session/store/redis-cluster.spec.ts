import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { redisMissing } from '../../support/session/start-redis.js';
import { type ClusteredRedis, startClusteredRedis } from '../../support/session/start-redis-topology.js';

const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const suite = redisMissing === undefined ? describe : describe.skip;

suite(`a cluster of six (${redisMissing ?? 'started here'})`, () => {
  let redis: ClusteredRedis;
  let store: RedisSessionStore;
  beforeAll(async () => {
    redis = await startClusteredRedis();
  });
  afterAll(() => redis.close());
  beforeEach(async () => {
    for (const { admin } of await redis.masters()) await admin.flushall();
    store = await RedisSessionStore.open(redis.access, LIFE);
  });
  afterEach(() => store.close());

  sessionStoreConformance('cluster', async (life) => {
    const open = await RedisSessionStore.open(redis.access, life);
    const masters = await redis.masters();
    return {
      store: open,
      advance: async (milliseconds) => {
        for (const { admin } of masters) await ageRedis(admin, milliseconds);
      },
      close: () => open.close(),
    };
  });

  it('tries a write on each of its masters', async () => {
    const masters = await redis.masters();
    expect(masters).toHaveLength(3);
    for (const { admin } of masters) await admin.config('RESETSTAT');
    await store.ping();
    for (const { admin } of masters) expect(await admin.info('commandstats')).toContain('cmdstat_set:calls=');
    const [first] = masters as [(typeof masters)[0]];
    await first.admin.config('SET', 'maxmemory', '1kb');
    await expect(store.ping()).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
    await store.reach();
    await first.admin.config('SET', 'maxmemory', '0');
    await store.ping();
  });

  it('counts logins and failures of accounts in any slot', async () => {
    const logins = store.loginRecords();
    const keys = ['one', 'two', 'three', 'four'];
    await logins.addFailure(keys);
    await logins.addFailure(keys.slice(0, 2));
    await logins.addPlace('place');
    expect(await logins.look(keys, 'place')).toEqual({ failures: [2, 2, 1, 1], isKnownPlace: true });
    expect(await logins.look(['five'], 'elsewhere')).toEqual({ failures: [0], isKnownPlace: false });
    expect(await logins.addLogin('one')).toMatchObject({ logins: 1 });
  });
});
