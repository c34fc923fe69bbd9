import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisSessionStore } from '../../../src/session/store/redis-session-store.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { redisMissing } from '../../support/session/start-redis.js';
import {
  type ClusteredRedis,
  startClusteredRedis,
  startWatchedRedis,
  type WatchedRedis,
} from '../../support/session/start-redis-topology.js';

const LIFE = { idleSeconds: 600, maxSeconds: 6000 };
const suite = redisMissing === undefined ? describe : describe.skip;
const SESSIONS = 200;
/** From the death of a node to the last error. */
const MOST_OUTAGE_MS = 5000;

/** What callers saw while a node died. */
interface Outage {
  readonly asked: number;
  readonly errors: number;
  readonly lastErrorAfterMs: number;
  readonly mixed: number;
  /** Sessions that were gone, and sessions that had ended and were there again. */
  readonly lost: string[];
  readonly revived: string[];
}

/**
 * Begins sessions, ends some of them, waits until the replicas have all of that, kills a node, and asks for every
 * session until all answer.
 */
async function failover(
  store: RedisSessionStore,
  replicated: () => Promise<void>,
  kill: () => Promise<void>,
): Promise<Outage> {
  const keys = Array.from({ length: SESSIONS }, (_, n) => `key-${n}`);
  const ended = keys.filter((_key, n) => n % 4 === 0);
  for (const key of keys) await eventually(() => store.create(key, `sealed ${key}`));
  for (const key of ended) await store.remove(key);
  await replicated();

  const began = performance.now();
  let [asked, errors, lastErrorAfterMs, mixed, good] = [0, 0, 0, 0, 0];
  const gone = new Set<string>();
  const there = new Set<string>();
  const killed = kill();
  // All of them, again and again, until for a second nothing has failed.
  while (good < 1000 / 20) {
    const before = errors;
    await Promise.all(
      keys.map(async (key) => {
        asked += 1;
        try {
          const found = await store.read(key);
          if (found === undefined) gone.add(key);
          else there.add(key);
          if (found !== undefined && found.sealed !== `sealed ${key}`) mixed += 1;
        } catch {
          errors += 1;
          lastErrorAfterMs = performance.now() - began;
        }
      }),
    );
    good = errors > before ? 0 : good + 1;
    if (performance.now() - began > 30_000) break;
    await pause(20);
  }
  await killed;
  const isEnded = new Set(ended);
  return {
    asked,
    errors,
    lastErrorAfterMs: Math.round(lastErrorAfterMs),
    mixed,
    lost: [...gone].filter((key) => !isEnded.has(key)),
    revived: [...there].filter((key) => isEnded.has(key)),
  };
}

const AS_BEFORE = { mixed: 0, lost: [], revived: [] };

suite(`three nodes with three sentinels (${redisMissing ?? 'started here'})`, () => {
  let redis: WatchedRedis;
  let store: RedisSessionStore;
  let reports: string[];
  beforeAll(async () => {
    redis = await startWatchedRedis();
  }, 60_000);
  afterAll(() => redis.close());
  beforeEach(async () => {
    reports = [];
    store = await RedisSessionStore.open(
      redis.url,
      LIFE,
      new StoreHealth((message) => reports.push(message)),
    );
  });
  afterEach(() => store.close());

  sessionStoreConformance('sentinel', async (life) => {
    const { admin } = await redis.master();
    await admin.flushall();
    const open = await RedisSessionStore.open(redis.url, life);
    return {
      store: open,
      advance: (milliseconds) => ageRedis(admin, milliseconds),
      close: () => open.close(),
    };
  });

  it('keep a login waiting until a replica has it, and refuse it without one', async () => {
    const sure = await RedisSessionStore.open(redis.url, LIFE, undefined, 2);
    await sure.create('sure', 'sealed');
    const replica = redis.nodes.find((node) => node !== redis.nodes[0]);
    expect(await replica?.admin.get('portico:session:sure')).toMatch(/sealed$/);
    await sure.close();
    const demanding = await RedisSessionStore.open(redis.url, LIFE, undefined, 3);
    await expect(demanding.create('other', 'sealed')).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
    await demanding.close();
  });

  it('lose no session and revive none when the master dies, and errors end within five seconds', async () => {
    const master = await redis.master();
    const outage = await failover(
      store,
      async () => {
        expect(await master.admin.wait(2, 5000)).toBe(2);
      },
      () => master.kill(),
    );
    expect(outage).toMatchObject(AS_BEFORE);
    expect(outage.lastErrorAfterMs).toBeLessThan(MOST_OUTAGE_MS);
    await store.create('after', 'sealed');
    expect(reports.at(-1)).toBe('The session store can be used again');
    await master.restart();
  }, 60_000);

  it('lose no session when the master only stops answering, and nothing is written to it afterwards', async () => {
    await eventually(async () => {
      const { admin } = await redis.master();
      expect((await admin.info('replication')).match(/state=online/g)).toHaveLength(2);
    });
    const master = await redis.master();
    await master.admin.flushall();
    const outage = await failover(
      store,
      async () => {
        expect(await master.admin.wait(2, 5000)).toBe(2);
      },
      async () => {
        master.pause();
        await eventually(async () => (await redis.master()) !== master);
        master.resume();
      },
    );
    expect(outage).toMatchObject(AS_BEFORE);
    await store.create('after', 'sealed');
    const now = await redis.master();
    expect(await now.admin.get('portico:session:after')).toMatch(/sealed$/);
  }, 60_000);
});

suite(`a cluster of six (${redisMissing ?? 'started here'})`, () => {
  let redis: ClusteredRedis;
  let store: RedisSessionStore;
  beforeAll(async () => {
    redis = await startClusteredRedis();
  }, 60_000);
  afterAll(() => redis.close());
  beforeEach(async () => {
    for (const { admin } of await redis.masters()) await admin.flushall();
    store = await RedisSessionStore.open(redis.url, LIFE);
  });
  afterEach(() => store.close());

  sessionStoreConformance('cluster', async (life) => {
    const open = await RedisSessionStore.open(redis.url, life);
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
    await store.ping();
    const masters = await redis.masters();
    expect(masters).toHaveLength(3);
    for (const { admin } of masters) expect((await admin.keys('portico:ping:*')).length).toBeGreaterThan(0);
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

  it('loses no session and revives none when a master dies, and errors end within five seconds', async () => {
    const masters = await redis.masters();
    const [dying] = masters as [(typeof masters)[0]];
    const outage = await failover(
      store,
      async () => {
        for (const { admin } of masters) expect(await admin.wait(1, 5000)).toBe(1);
      },
      () => dying.kill(),
    );
    expect(outage).toMatchObject(AS_BEFORE);
    expect(outage.lastErrorAfterMs).toBeLessThan(MOST_OUTAGE_MS);
    await store.ping();
    await dying.restart();
  }, 60_000);
});
