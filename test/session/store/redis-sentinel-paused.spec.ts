import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { AS_BEFORE, failover, PATIENCE_MS } from '../../support/session/failover.js';
import { redisMissing } from '../../support/session/start-redis.js';
import { startWatchedRedis, type WatchedRedis } from '../../support/session/start-redis-topology.js';

const suite = redisMissing === undefined ? describe : describe.skip;

/** On nodes of their own: sentinels wait for six seconds between two failovers. */
suite(`three nodes with three sentinels, of which one is paused (${redisMissing ?? 'started here'})`, () => {
  let redis: WatchedRedis;
  let store: RedisSessionStore;
  beforeAll(async () => {
    redis = await startWatchedRedis();
    // Some answers never come, because their node is paused.
    const access = { ...redis.access, timeoutMs: 1000 };
    store = await RedisSessionStore.open(access, { idleSeconds: 600, maxSeconds: 6000 });
  });
  afterAll(async () => {
    await store.close();
    await redis.close();
  });

  it(
    'lose no session when the master only stops answering, and nothing is written to it afterwards',
    async () => {
      const master = await redis.master();
      const outage = await failover(
        store,
        async () => {
          expect(await master.admin.wait(2, 60_000)).toBe(2);
        },
        async () => {
          await redis.failOverSoon();
          master.pause();
          await eventually(async () => (await redis.master()) !== master, PATIENCE_MS);
          master.resume();
        },
        async () => (await redis.master()) !== master,
      );
      expect(outage).toMatchObject(AS_BEFORE);
      await eventually(() => store.create('after', 'sealed'));
      const now = await redis.master();
      expect(await now.admin.get('portico:session:after')).toMatch(/sealed$/);
    },
    3 * PATIENCE_MS,
  );
});
