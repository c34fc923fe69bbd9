import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Redis } from 'ioredis';
import { parseSettings } from '../../../src/config/parse-settings.js';
import { type Settings } from '../../../src/config/settings.js';
import {
  open as openBackend,
  RedisSessionStore,
  tryOut,
} from '../../../src/session/store/redis-session-store.js';
import { type SessionStore } from '../../../src/session/store/session-store.js';
import { type RedisAccess } from '../../../src/session/store/redis-topology.js';
import { decidingSettings } from '../../../src/session/store/store-backend.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { sessionStoreConformance } from '../../conformance/session-store.conformance.js';
import { ageRedis } from '../../support/session/age-redis.js';
import { holdTimers } from '../../../packages/portico/test/support/client/hold-timers.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import {
  patientAccess,
  type RunningRedis,
  redisMissing,
  startRedis,
} from '../../support/session/start-redis.js';
import { bulk, type FakeRedis, scriptReply, startFakeRedis } from '../../support/session/start-fake-redis.js';
import { ServiceError } from '../../../src/errors/service-error.js';

const LIFE = { idleSeconds: 60, maxSeconds: 600 };

const suite = redisMissing === undefined ? describe : describe.skip;

suite(`with a redis-server (${redisMissing ?? 'the system has one'}):`, () => {
  let redis: RunningRedis;
  beforeAll(async () => (redis = await startRedis()));
  afterAll(() => redis.close());

  sessionStoreConformance('redis', async (life) => {
    await redis.admin.flushall();
    const store = await RedisSessionStore.open(redis.access, life);
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
  const start = async (settings: string[] = [], access: Partial<RedisAccess> = {}): Promise<void> => {
    redis = await startRedis(settings);
    store = await RedisSessionStore.open(
      { ...redis.access, ...access },
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

  it('waits for a slow Redis as long as it may, and no longer', async () => {
    await start([], { timeoutMs: 60 });
    const patient = await RedisSessionStore.open(redis.access, LIFE);
    await eventually(() => store.reach());
    redis.pause();
    const creating = patient.create('key', 'sealed');
    await expect(store.read('key')).rejects.toThrow('it does not answer in time');
    redis.resume();
    await creating;
    await patient.close();
  });

  it('fails within its time limit while Redis is stalled or gone, and recovers on its own', async () => {
    await start([], { timeoutMs: 500 });
    const patient = await RedisSessionStore.open(redis.access, LIFE);
    await patient.create('key', 'sealed');
    await patient.close();

    redis.pause();
    // Without a limit it would not fail as long as Redis is stalled.
    await expect(store.read('key')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
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
    store = await RedisSessionStore.open(redis.access, LIFE);
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
      redis.access,
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
    const url = `redis://:${password}@127.0.0.1:${redis.port}/0`;
    store = await RedisSessionStore.open(patientAccess(url), LIFE);
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

  it.each<[string, string, (store: RedisSessionStore) => Promise<unknown>]>([
    ['session:key', 'a session', (open) => open.read('key')],
    ['session:key', 'a session that is looked at', (open) => open.peek('key')],
    ['session:key', 'a session that is stored', (open) => open.replace('key', 1, 'late')],
    ['lease:key', 'a lease', (open) => open.lease('key', 'holder', 1000)],
    ['lease:key', 'a lease that is returned', (open) => open.settle('key', 'holder', 0)],
    ['login-failures:one', 'failures', (open) => open.loginRecords().look(['one'], 'place')],
    ['login-failures:one', 'a failure', (open) => open.loginRecords().addFailure(['one'])],
    ['logins:one', 'a login', (open) => open.loginRecords().addLogin('one')],
    ['login-place:place', 'a place', (open) => open.loginRecords().addPlace('place')],
    ['ping', 'a ping', (open) => open.ping()],
  ])(
    'is not stopped by a value of another type under %s, where it looks for %s',
    async (name, _what, ask) => {
      await start();
      for (const spoil of ['list', 'text']) {
        if (spoil === 'list') await redis.admin.lpush(`portico:${name}`, 'one');
        else await redis.admin.set(`portico:${name}`, 'no number');
        await ask(store);
        await ask(store);
      }
      expect(reports).toEqual([]);
    },
  );

  it('lets the owner of a record of another type log in again under the same key', async () => {
    await start();
    await redis.admin.hset('portico:session:key', 'field', 'value');
    expect(await store.read('key')).toBeUndefined();
    await store.create('key', 'sealed');
    await redis.admin.lpush('portico:use:key', 'value');
    expect(await store.peek('key')).toMatchObject({ platformUse: undefined });
    store.noteUse('key', 1000, 2000);
    expect(await store.peek('key')).toMatchObject({ platformUse: { at: 1000, timeoutMs: 2000 } });
    await redis.admin.set('portico:use:key', 'no times');
    expect(await store.peek('key')).toMatchObject({ platformUse: undefined });
  });

  it('is degraded while Redis takes no writes, and says why, whoever notices it', async () => {
    await start();
    const health = new StoreHealth((message) => reports.push(message));
    const other = await RedisSessionStore.open(redis.access, LIFE, health);
    await redis.admin.config('SET', 'min-replicas-to-write', '1');
    const failure = { code: 'SESSION_STORE_UNAVAILABLE', reason: 'STORE_READ_ONLY' };
    await expect(other.create('key', 'sealed')).rejects.toMatchObject(failure);
    expect([health.fault, health.isDegraded]).toEqual(['read_only', true]);
    await other.reach();
    await redis.admin.config('SET', 'min-replicas-to-write', '0');
    await redis.admin.config('SET', 'maxmemory', '1kb');
    await expect(other.ping()).rejects.toMatchObject(failure);
    expect(health.fault).toBe('full');
    await redis.admin.config('SET', 'maxmemory', '0');
    await other.ping();
    expect(health.fault).toBeUndefined();
    expect(reports).toEqual([
      'The session store takes no writes, so logins fail and sessions go on: NOREPLICAS',
      'The session store takes no writes, so logins fail and sessions go on: OOM',
      'The session store can be used again',
    ]);
    await other.close();
  });

  it('says once in which settings another instance on the same Redis differs, and no value', async () => {
    await start();
    const settings = {
      SESSION_IDLE_SECONDS: 3600,
      SESSION_MAX_SECONDS: 43_200,
      PLATFORM_BASE_URL: 'https://one.example/api',
      PLATFORM_HEADER_VENDOR: 'SVC',
    };
    store.announce(decidingSettings(settings));
    await eventually(async () => (await redis.admin.get('portico:settings')) !== null);
    const otherReports: string[] = [];
    const open = (into: string[]): Promise<RedisSessionStore> =>
      RedisSessionStore.open(redis.access, LIFE, new StoreHealth((message) => into.push(message)));
    const [same, other] = await Promise.all([open(reports), open(otherReports)]);
    same.announce(decidingSettings(settings));
    other.announce(
      decidingSettings({
        ...settings,
        SESSION_IDLE_SECONDS: 5,
        PLATFORM_BASE_URL: 'https://two.example/api',
      }),
    );
    await eventually(() => otherReports.length > 0);
    expect(otherReports).toEqual([
      'Another instance on the same Redis has other values, by which each treats the sessions of both: SESSION_IDLE_SECONDS, PLATFORM_BASE_URL',
    ]);
    await Promise.all([same.close(), other.close()]);
  });

  it('does not treat a foreign value under one of its keys as a session', async () => {
    await start();
    await redis.admin.set('portico:session:key', 'not a record');
    expect(await store.read('key')).toBeUndefined();
    expect(await store.replace('key', 1, 'late')).toBe(false);
    expect(await store.remove('key')).toBe(false);
  });
});

describe('what the redis session store sends', () => {
  let fake: FakeRedis;
  let store: SessionStore;
  let reports: string[];
  let health: StoreHealth;
  beforeEach(async () => {
    fake = await startFakeRedis();
    reports = [];
    health = new StoreHealth((message) => reports.push(message));
  });
  afterEach(async () => {
    vi.useRealTimers();
    await store.close();
    await fake.close();
  });
  const settings = (): Settings =>
    parseSettings({
      SESSION_STORE: 'redis',
      REDIS_URL: `redis://127.0.0.1:${fake.port}`,
      REDIS_TIMEOUT_MS: '5000',
    });
  const open = async (scheme = 'redis', replicas = 0): Promise<RedisSessionStore> => {
    const access = { url: `${scheme}://127.0.0.1:${fake.port}`, timeoutMs: 10_000 };
    const opened = await RedisSessionStore.open(access, LIFE, health, replicas);
    store = opened;
    // A cluster has no connection to a node before the first command.
    await eventually(() => opened.reach());
    sent();
    return opened;
  };
  /** The arguments of the scripts that were sent since it was asked last. */
  let seen = 0;
  const sent = (): string[] => {
    const scripts = fake.commands.slice(seen).filter((each) => each.startsWith('eval'));
    seen = fake.commands.length;
    return scripts.map((each) => each.replace(/^.* (?=\d+ portico:)|\S+$/gs, '').trim());
  };
  beforeEach(() => {
    seen = 0;
    fake.answer('eval', scriptReply(':1\r\n'));
  });

  it.each([
    ['redis', '2 portico:session:key portico:use:key 60000 600000'],
    ['redis+cluster', '2 portico:session:{key} portico:use:{key} 60000 600000'],
  ])('names all of one session so that a cluster has it in one slot: %s', async (scheme, expected) => {
    await open(scheme);
    fake.answer('eval', scriptReply('$-1\r\n'));
    expect(await store.peek('key')).toBeUndefined();
    expect(sent()).toEqual([expected]);
  });

  it.each([
    ['redis', 1, /^1 portico:ping$/],
    ['redis+cluster', 12, /^1 portico:ping:\{..\}$/],
  ])(
    'tries all parts of Redis by a read, or by a write that is gone after a second: %s',
    async (scheme, parts, name) => {
      await open(scheme);
      await store.reach();
      const reads = new Set(sent());
      expect([...reads]).toEqual(Array(parts).fill(expect.stringMatching(name)));
      await store.ping();
      expect(new Set(sent())).toEqual(new Set([...reads].map((read) => `${read} 1000`)));
    },
  );

  it('keeps a last use for as long as its session may live after the platform has ended its own', async () => {
    await open();
    store.noteUse('key', 5, 30_000);
    store.noteUse('key', 6);
    await eventually(() => fake.commands.length >= seen + 2);
    expect(sent()).toEqual(['1 portico:use:key 5 30000 90000', '1 portico:use:key 6  660000']);
  });

  it('waits with a new session and with its end until replicas have them, and with nothing else', async () => {
    await open('redis', 1);
    fake.answer('wait', ':1\r\n');
    const waits = (): number => fake.commands.filter((each) => each === 'wait 1 500').length;
    expect(await store.replace('key', 1, 'sealed')).toBe(true);
    expect(waits()).toBe(0);
    expect(await store.remove('key')).toBe(true);
    expect(waits()).toBe(1);
    const before = fake.connections();
    await store.close();
    await expect(store.remove('key')).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    expect(fake.connections()).toBe(before);
  });

  it('notes no ending of a session that was not there', async () => {
    await open();
    fake.answer('eval', scriptReply(':0\r\n'));
    expect(await store.end('key', 'operator')).toBe(false);
    expect(sent()).toEqual(['1 portico:session:key']);
  });

  it('tells of a session as it is listed, and not how many there are', async () => {
    await open();
    fake.answer('eval', scriptReply(`*3\r\n${bulk('5')}${bulk('sealed')}${bulk('4')}`));
    expect(await store.summary('key')).toMatchObject({ key: 'key', sealed: 'sealed', expiresAt: 5 });
    await expect(store.count()).resolves.toBeUndefined();
    expect(store.isShared).toBe(true);
  });

  it.each([
    ['no other instance has said anything', '', []],
    [
      'another one has others, which is said once',
      'layout=2 A=1',
      [
        'Another instance on the same Redis has other values, by which each treats the sessions of both: layout',
      ],
    ],
  ])('is every five seconds by which settings it treats sessions: %s', async (_what, last, expected) => {
    const opened = await open();
    holdTimers('setInterval');
    fake.answer('eval', (command) =>
      scriptReply(command.includes('portico:settings') ? bulk(last) : ':1\r\n')(command),
    );
    const announced = (): number =>
      sent().filter((each) => each === '1 portico:settings layout=1 A=1 15000').length;
    const isAnnounced = (): Promise<void> => eventually(() => announced() === 1);
    opened.announce('layout=1 A=1');
    await isAnnounced();
    for (let round = 0; round < 2; round += 1) {
      vi.advanceTimersByTime(4999);
      expect(announced()).toBe(0);
      vi.advanceTimersByTime(1);
      await isAnnounced();
    }
    await opened.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(reports).toEqual(expected);
  });

  it('is by the settings of the service, which it tells other instances', async () => {
    fake.answer('eval', (command) => {
      const answer = command.includes('portico:session') ? '$-1\r\n' : ':1\r\n';
      return scriptReply(command.includes('portico:settings') ? bulk('') : answer)(command);
    });
    const backend = await openBackend(settings(), health);
    store = backend.sessions;
    expect(backend.health).toBe(health);
    await eventually(() => fake.commands.some((each) => each.includes('portico:settings layout=1')));
    sent();
    await store.peek('key');
    await backend.logins.addPlace('place');
    expect(sent()).toEqual([
      '2 portico:session:key portico:use:key 3600000 43200000',
      '1 portico:login-place:place 2592000000',
    ]);
  });

  it('goes to where the client of the application is connected', async () => {
    const client = new Redis({ host: '127.0.0.1', port: fake.port, lazyConnect: true });
    ({ sessions: store } = await openBackend(parseSettings({}), health, client));
    await eventually(() => store.reach());
    client.disconnect();
  });

  it('is a mark and a question when it is tried out, over a connection that is closed again', async () => {
    await open();
    const before = fake.open();
    fake.answer('info', bulk('redis_version:7'));
    expect(await tryOut(settings())).toEqual({ product: 'Redis 7', evictionPolicy: undefined });
    await eventually(() => fake.open() === before);
    fake.answer('eval', '-NOPERM this user has no permissions\r\n');
    await expect(tryOut(settings())).rejects.toThrow('The session store is unavailable: NOPERM');
  });

  it.each([
    [
      'redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n',
      { product: 'Redis 7.0.15', evictionPolicy: 'noeviction' },
    ],
    ['# Server\r\n', { product: 'Redis of unknown version', evictionPolicy: undefined }],
    ['a redis_version:1\r\n', { product: 'Redis of unknown version', evictionPolicy: undefined }],
  ])('tells what Redis says of itself: %j', async (info, description) => {
    const opened = await open();
    fake.answer('info', bulk(info));
    expect(await opened.describe()).toEqual(description);
  });
});
