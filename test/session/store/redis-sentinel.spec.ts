import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { redisMissing } from '../../support/session/start-redis.js';
import { startWatchedRedis, type WatchedRedis } from '../../support/session/start-redis-topology.js';

const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const suite = redisMissing === undefined ? describe : describe.skip;

suite(`three nodes with three sentinels (${redisMissing ?? 'started here'})`, () => {
  let redis: WatchedRedis;
  beforeAll(async () => {
    redis = await startWatchedRedis();
  });
  afterAll(() => redis.close());

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
});
