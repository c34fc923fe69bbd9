import { describe, expect, it, type TestContext } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { type RedisAccess } from '../../../src/session/store/redis-topology.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { AS_BEFORE, failover, MOST_OUTAGE_MS, PATIENCE_MS } from '../../support/session/failover.js';
import { redisMissing } from '../../support/session/start-redis.js';
import {
  replicated,
  startClusteredRedis,
  startWatchedRedis,
} from '../../support/session/start-redis-topology.js';

const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
/** Some answers never come, because their node dies. */
const TIMEOUT_MS = 1000;
const suite = redisMissing === undefined ? describe.concurrent : describe.skip;

const open = (access: RedisAccess, reports: string[] = []): Promise<RedisSessionStore> =>
  RedisSessionStore.open(
    { ...access, timeoutMs: TIMEOUT_MS },
    LIFE,
    new StoreHealth((message) => reports.push(message)),
  );

/** What was opened is closed after the test, whatever it shows: the last one first. */
async function closedAfter<T extends { close(): Promise<void> }>(
  { onTestFinished }: TestContext,
  opening: Promise<T>,
): Promise<T> {
  const opened = await opening;
  onTestFinished(() => opened.close());
  return opened;
}

/** Each on nodes of its own, all three together: most of a failover is waiting. */
suite(`sessions in Redis (${redisMissing ?? 'started here'})`, () => {
  it(
    'are not lost and not revived when the master of sentinels dies, and errors end soon after the failover',
    async (context) => {
      const redis = await closedAfter(context, startWatchedRedis());
      const reports: string[] = [];
      const store = await closedAfter(context, open(redis.access, reports));
      const master = await redis.master();
      const outage = await failover(
        store,
        () => replicated(redis.nodes),
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
    },
    3 * PATIENCE_MS,
  );

  it(
    'are not lost when the master of sentinels only stops answering, and nothing is written to it afterwards',
    async (context) => {
      const redis = await closedAfter(context, startWatchedRedis());
      const store = await closedAfter(context, open(redis.access));
      const master = await redis.master();
      const outage = await failover(
        store,
        () => replicated(redis.nodes),
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

  it(
    'are not lost and not revived when a master of a cluster dies, and errors end soon afterwards',
    async (context) => {
      const redis = await closedAfter(context, startClusteredRedis());
      const store = await closedAfter(context, open(redis.access));
      const masters = await redis.masters();
      const [dying] = masters as [(typeof masters)[0]];
      const outage = await failover(
        store,
        () => replicated(redis.nodes),
        async () => {
          await redis.failOverSoon();
          await dying.kill();
        },
        async () => {
          const now = await redis.masters();
          return now.length === masters.length && !now.includes(dying);
        },
      );
      expect(outage).toMatchObject(AS_BEFORE);
      expect(outage.lastErrorAfterMs, outage.lastError).toBeLessThan(MOST_OUTAGE_MS);
      await eventually(() => store.ping());
    },
    3 * PATIENCE_MS,
  );
});
