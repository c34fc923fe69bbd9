import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisClient } from '../../../src/session/store/redis-client.js';
import { recordLoginsInRedis, RedisIndex } from '../../../src/session/store/redis-index.js';
import { type ListedRecord } from '../../../src/session/store/session-store.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { redisMissing, type RunningRedis, startRedis } from '../../support/session/start-redis.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };
const DAY_MS = 86_400_000;
const suite = redisMissing === undefined ? describe : describe.skip;

const nameOf = (key: string): string => `portico:session:${key}`;
const hex = (): string => randomBytes(32).toString('hex');

suite(`in redis (${redisMissing ?? 'started here'})`, () => {
  let redis: RunningRedis;
  let client: RedisClient;
  let index: RedisIndex;
  let reports: string[];
  beforeAll(async () => (redis = await startRedis()));
  afterAll(() => redis.close());
  beforeEach(async () => {
    await redis.admin.flushall();
    reports = [];
    const health = new StoreHealth((message) => reports.push(message));
    client = await RedisClient.open(redis.access, health);
    index = new RedisIndex(client, nameOf, health, LIFE);
  });
  afterEach(() => {
    client.close();
  });

  describe('the sessions of an account', () => {
    it('are kept with those of others whose hashes begin alike, in few bytes, and as long as a session may live', async () => {
      const [account, key] = [`ab${'0123456789'.repeat(6)}`, hex()];
      await index.join(account, key);
      expect(await redis.admin.keys('*')).toEqual(['portico:accounts:ab']);
      const own = '01234567890123456789';
      expect(await redis.admin.zrange('portico:accounts:ab', '0', '-1')).toEqual([
        own + Buffer.from(key, 'hex').toString('base64url'),
      ]);
      const left = await redis.admin.pttl('portico:accounts:ab');
      expect(left).toBeGreaterThan(500_000);
      expect(left).toBeLessThanOrEqual(600_000);
      expect(await index.ofAccount(account)).toEqual([key]);
      expect(await index.ofAccount(`ab${'0123456789'.repeat(2)}`)).toEqual([key]);
      expect(await index.ofAccount(`ab${'0123456788'.repeat(6)}`)).toEqual([]);
    });

    it('may have any key, and the account any length', async () => {
      const keys = ['a', `x${hex()}`, `${hex()}x`, hex()];
      for (const key of keys) await index.join('ab1', key);
      expect(await redis.admin.zscore('portico:accounts:ab', '1....................a')).not.toBeNull();
      expect([...(await index.ofAccount('ab1'))].sort()).toEqual([...keys].sort());
    });

    it('may not be found when Redis refuses it, which is reported once and keeps nobody from a login', async () => {
      client.close();
      for (const key of ['one', 'two']) {
        await index.join('ab1', key);
        expect(reports.filter((each) => each.startsWith('Sessions'))).toEqual([
          'Sessions cannot be found by their accounts: The session store is unavailable: there is no connection',
        ]);
      }
    });

    it('are no longer those that have left it', async () => {
      const key = hex();
      await index.join('ab1', key);
      await index.join('ab1', 'other');
      index.leave('ab1', key);
      await eventually(async () => {
        expect(await index.ofAccount('ab1')).toEqual(['other']);
      });
    });
  });

  it('an ending is told with its cause and its time', async () => {
    const key = hex();
    await index.noteEnding(key, 'operator');
    const [ending, ...others] = await index.endings(0);
    expect(ending).toEqual({ key, cause: 'operator', at: expect.any(Number) });
    expect(Math.abs((ending?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(others).toEqual([]);
  });

  it('no batch is listed where there is no session', async () => {
    for await (const batch of index.list()) expect(batch).toBe('none');
  });

  describe.each([
    ['in one place', false],
    ['in a cluster', true],
  ])('the history of logins %s', (_where, isCluster) => {
    it('counts failures by key, and knows the places of logins for as long as it says', async () => {
      const logins = recordLoginsInRedis(client, isCluster);
      await logins.addFailure(['one', 'two']);
      await logins.addFailure(['two']);
      const failures = [2, 0, 1];
      const look = (place?: string): Promise<unknown> => logins.look(['two', 'none', 'one'], place);
      expect(await look('place')).toEqual({ failures, isKnownPlace: false });
      await logins.addPlace('place');
      expect(await look('place')).toEqual({ failures, isKnownPlace: true });
      expect(await look('elsewhere')).toEqual({ failures, isKnownPlace: false });
      expect(await look()).toEqual({ failures, isKnownPlace: false });
      const left = await redis.admin.pttl('portico:login-place:place');
      expect(left).toBeGreaterThan(DAY_MS);
    });

    it('tells when the failures and the logins of a key end', async () => {
      const logins = recordLoginsInRedis(client, isCluster);
      await logins.addFailure(['one']);
      const left = await logins.failuresEndIn('one');
      expect(left).toBeGreaterThan(1000);
      expect(left).toBeLessThanOrEqual(60_000);
      expect(await logins.failuresEndIn('none')).toBe(0);
      const first = await logins.addLogin('one');
      expect(first.logins).toBe(1);
      expect(first.endsIn).toBe(60_000);
      expect(await logins.addLogin('one')).toMatchObject({ logins: 2 });
      expect((await redis.admin.keys('*')).sort()).toEqual([
        'portico:login-failures:one',
        'portico:logins:one',
      ]);
    });
  });
});

describe('the list of all sessions in redis', () => {
  const NOW = 1_000_000;
  const indexOver = (batches: readonly (readonly string[])[], idleEnd = NOW + 30_000): RedisIndex => {
    const client = {
      now: () => NOW,
      // eslint-disable-next-line @typescript-eslint/require-await
      async *scan() {
        yield* batches;
      },
      ask: (_form: unknown, _script: string, name: string) =>
        Promise.resolve(name === nameOf('ended') ? null : [String(NOW + 99_000), 'sealed', String(idleEnd)]),
    };
    return new RedisIndex(client as unknown as RedisClient, nameOf, new StoreHealth(), LIFE);
  };
  const listed = async (index: RedisIndex): Promise<string[][]> => {
    const found: string[][] = [];
    for await (const batch of index.list()) found.push(batch.map(({ key }: ListedRecord) => key));
    return found;
  };

  it('has each session once, although Redis may name it twice, and none that has just ended', async () => {
    const names = [['one', 'ended'], ['one', 'two'], []].map((batch) => batch.map(nameOf));
    expect(await listed(indexOver(names))).toEqual([['one'], ['two']]);
  });

  it('asks about a hundred of them at a time', async () => {
    const names = Array.from({ length: 250 }, (_, n) => nameOf(`key-${n}`));
    const found = await listed(indexOver([names]));
    expect(found.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(new Set(found.flat()).size).toBe(250);
  });

  it('tells when each was used last, which is never in the future', async () => {
    expect(await indexOver([]).summary('one')).toEqual({
      key: 'one',
      sealed: 'sealed',
      lastUsedAt: NOW - 30_000,
      idleExpiresAt: NOW + 30_000,
      expiresAt: NOW + 99_000,
    });
    expect(await indexOver([], NOW + 61_000).summary('one')).toMatchObject({ lastUsedAt: NOW });
    expect(await indexOver([]).summary('ended')).toBeUndefined();
  });
});
