import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { AS_BEFORE, failover, MOST_OUTAGE_MS, PATIENCE_MS } from '../../support/session/failover.js';
import { redisMissing } from '../../support/session/start-redis.js';
import { startWatchedRedis, type WatchedRedis } from '../../support/session/start-redis-topology.js';

/** Some answers never come, because their node dies. */
const TIMEOUT_MS = 1000;
const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const suite = redisMissing === undefined ? describe : describe.skip;

suite(`three nodes with three sentinels (${redisMissing ?? 'started here'})`, () => {
  let redis: WatchedRedis;
  let store: RedisSessionStore;
  let reports: string[];
  beforeAll(async () => {
    redis = await startWatchedRedis();
  });
  afterAll(() => redis.close());
  beforeEach(async () => {
    reports = [];
    store = await RedisSessionStore.open(
      { ...redis.access, timeoutMs: TIMEOUT_MS },
      LIFE,
      new StoreHealth((message) => reports.push(message)),
    );
  });
  afterEach(() => store.close());

  sessionStoreConformance('sentinel', async (life) => {
    const { admin } = await redis.master();
    await admin.flushall();
    const open = await RedisSessionStore.open(redis.access, life);
    return {
      store: open,
      advance: (milliseconds) => ageRedis(admin, milliseconds),
      close: () => open.close(),
    };
  });

  it('keep a login waiting until a replica has it, and refuse it without one', async () => {
    const sure = await RedisSessionStore.open(redis.access, LIFE, undefined, 2);
    // On a busy machine a replica may need longer than a write waits for it.
    await eventually(() => sure.create('sure', 'sealed'));
    const replica = redis.nodes.find((node) => node !== redis.nodes[0]);
    expect(await replica?.admin.get('portico:session:sure')).toMatch(/sealed$/);
    await sure.close();
    const demanding = await RedisSessionStore.open(redis.access, LIFE, undefined, 3);
    await expect(demanding.create('other', 'sealed')).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
    await demanding.close();
  });

  it(
    'lose no session and revive none when the master dies, and errors end soon after the failover',
    async () => {
      const master = await redis.master();
      const outage = await failover(
        store,
        async () => {
          expect(await master.admin.wait(2, 60_000)).toBe(2);
        },
        async () => {
          await redis.failOverSoon();
          await master.kill();
        },
        async () => (await redis.master()) !== master,
      );
      expect(outage).toMatchObject(AS_BEFORE);
      expect(outage.lastErrorAfterMs, outage.lastError).toBeLessThan(MOST_OUTAGE_MS);
      await eventually(() => store.create('after', 'sealed'));
      await eventually(() => reports.at(-1) === 'The session store can be used again');
      await master.restart();
      // A sentinel would say so itself, ten seconds later.
      await master.admin.replicaof('127.0.0.1', (await redis.master()).port);
    },
    3 * PATIENCE_MS,
  );
});
