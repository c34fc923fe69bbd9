import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformClient } from 'portico/client';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { RedisSessionStore } from '../../src/session/store/redis-session-store.js';
import { manyUsers } from '../support/session/many-users.js';
import { serverKey, sealedSessions } from '../support/session/session-bench.js';
import { sessionCost } from '../support/session/session-cost.js';
import { startPlatform } from '../../packages/portico/test/support/embedded-platform/start-platform.js';
import { type RunningRedis, startRedis } from '../support/session/start-redis.js';
import { storeOutage } from '../support/session/store-outage.js';
import { tempFolder } from '../support/temp-folder.js';
import { startUserPlatform } from '../support/embedded-platform/user-platform.js';

/** `SOAK_REQUESTS` and `SOAK_SESSIONS` make it shorter. */
const REQUESTS = Number(process.env.SOAK_REQUESTS ?? 500_000);
const SESSIONS = Number(process.env.SOAK_SESSIONS ?? 100_000);
const OUTAGE_MS = 30_000;
const HOURS = 2 * 3_600_000;
const LIFE = { idleSeconds: 36_000, maxSeconds: 36_000 };

function usedHeapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return Math.round(process.memoryUsage().heapUsed / 1e6);
}

function show(title: string, figures: object): void {
  process.stdout.write(`${title}: ${JSON.stringify(figures)}\n`);
}

describe('sessions, for long', () => {
  let redis: RunningRedis;
  beforeEach(async () => (redis = await startRedis()));
  afterEach(() => redis.close());

  it(
    `are never mixed up in ${REQUESTS} requests of 200 users`,
    async () => {
      const platform = await startUserPlatform({ forgetsRequests: true });
      await manyUsers(redis, platform, { users: 200, requests: REQUESTS / 10 });
      const before = usedHeapMegabytes();
      const figures = await manyUsers(redis, platform, { users: 200, requests: REQUESTS });
      const grownMegabytes = usedHeapMegabytes() - before;
      const sessionKeys = (await redis.admin.keys('portico:session:*')).length;
      show('many users', { ...figures, grownMegabytes, sessionKeys });
      expect(figures).toMatchObject({ foreign: 0, otherFailures: [] });
      // Neither what is held here nor what is stored grows with the requests.
      expect(grownMegabytes).toBeLessThan(50);
      expect(sessionKeys).toBe(400);
      await platform.close();
    },
    HOURS,
  );

  it(
    'are all there after thirty seconds without redis under load',
    async () => {
      const platform = await startUserPlatform();
      const figures = await storeOutage(redis, platform, OUTAGE_MS);
      show('redis killed for 30 s at 100 requests a second', figures);
      expect(figures).toMatchObject({ cookiesCleared: 0, sessionsLost: 0 });
      await platform.close();
    },
    HOURS,
  );

  it(
    `cost little, ${SESSIONS} of them`,
    async () => {
      const platform = await startPlatform();
      const client = new PlatformClient({ baseUrl: platform.baseUrl });
      const keys = [serverKey('a')] as const;
      const inRedis = await RedisSessionStore.open(redis.url, LIFE);
      const memory = async (): Promise<number> =>
        Number(/^used_memory:(\d+)/m.exec(await redis.admin.info('memory'))?.[1]);
      show('in redis', await sessionCost(sealedSessions(inRedis, client, keys), client, SESSIONS, memory));
      await inRedis.close();

      const folder = await tempFolder();
      const path = `${folder.path}/sessions.db`;
      let embedded = new EmbeddedSessionStore(path, LIFE);
      const fileSize = async (): Promise<number> => (await stat(path)).size;
      show('embedded', await sessionCost(sealedSessions(embedded, client, keys), client, SESSIONS, fileSize));
      await embedded.close();
      const began = performance.now();
      embedded = new EmbeddedSessionStore(path, LIFE);
      show('embedded, opened again', { milliseconds: Math.round(performance.now() - began) });
      await embedded.close();
      await folder.remove();
      await client.close();
      await platform.close();
    },
    HOURS,
  );
});
