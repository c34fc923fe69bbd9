import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RedisClient } from '../../../src/session/store/redis-client.js';
import { isOne } from '../../../src/session/store/redis-replies.js';
import { StoreHealth } from '../../../src/session/store/store-health.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { holdTimers } from '../../../packages/portico/test/support/client/hold-timers.js';
import { gate } from '../../../packages/portico/test/support/gate.js';
import { bulk, type FakeRedis, scriptReply, startFakeRedis } from '../../support/session/start-fake-redis.js';

const UNAVAILABLE = { code: 'SESSION_STORE_UNAVAILABLE' };
const WHERE = 'sentinel get-master-addr-by-name';
const LATE = 'it does not answer in time';

describe('a client of Redis', () => {
  let fake: FakeRedis;
  let health: StoreHealth;
  let reports: string[];
  let client: RedisClient;
  beforeEach(async () => {
    fake = await startFakeRedis();
    reports = [];
    health = new StoreHealth((message) => reports.push(message));
    fake.answer('eval', fitting());
    fake.answer('wait', ':2\r\n');
  });
  afterEach(async () => {
    vi.useRealTimers();
    client.close();
    await fake.close();
  });

  const open = async (timeoutMs = 10_000, scheme = 'redis'): Promise<void> => {
    client = await RedisClient.open({ url: `${scheme}://127.0.0.1:${fake.port}`, timeoutMs }, health);
  };
  const fitting = (answer = ':1\r\n', time = ''): ((command: string) => string) => scriptReply(answer, time);
  const ask = (): Promise<unknown> => client.ask(isOne, 'setMark', 'key', 1000);
  const isBack = (): Promise<void> =>
    eventually(async () => {
      expect(await ask()).toBe(1);
    });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };

  it('passes on the answer to its own command, each of which has a name of its own', async () => {
    await open();
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    const asked = fake.commands.filter((each) => each.startsWith('eval')).map((each) => each.split(' '));
    const [one = '', other = ''] = asked.map((parts) => parts.at(-1));
    expect([one.slice(0, 8), one.slice(8), other.slice(8)]).toEqual([other.slice(0, 8), '1', '2']);
    const stranger = client;
    await open();
    await ask();
    stranger.close();
    expect(fake.commands.at(-1)?.split(' ').at(-1)?.slice(0, 8)).not.toBe(one.slice(0, 8));
  });

  it('knows the time of Redis from the last answer that has one', async () => {
    await open();
    fake.answer('eval', (command) => fitting(':1\r\n', String(Date.now() + 500_000))(command));
    await ask();
    expect(Math.abs(client.now() - Date.now() - 500_000)).toBeLessThan(60_000);
    fake.answer('eval', fitting());
    await ask();
    expect(Math.abs(client.now() - Date.now() - 500_000)).toBeLessThan(60_000);
  });

  it.each<[string, (command: string) => string]>([
    ['repeats another command', () => fitting()('another')],
    ['has another form', (command) => fitting(':2\r\n')(command)],
    ['has no time', (command) => fitting(':1\r\n', 'soon')(command)],
    ['has the time zero', (command) => fitting(':1\r\n', '0')(command)],
    ['has no answer', (command) => fitting('')(command).replace('*3', '*2')],
    ['is no list', () => ':1\r\n'],
  ])('believes no reply that %s, and connects anew', async (_what, reply) => {
    await open();
    const before = fake.connections();
    fake.answer('eval', reply);
    await expect(ask()).rejects.toThrow('it gave an answer that does not fit the request');
    expect([health.fault, health.reason]).toEqual([
      'unreachable',
      'it gave an answer that does not fit the request',
    ]);
    fake.answer('eval', fitting());
    await isBack();
    expect(fake.connections()).toBe(before + 1);
    await eventually(() => health.fault === undefined);
  });

  it('connects no second time for a second reply that does not fit', async () => {
    await open();
    const before = fake.connections();
    fake.answer('eval', ':7\r\n');
    const outcomes = await Promise.allSettled([ask(), ask(), ask()]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    fake.answer('eval', fitting());
    await isBack();
    expect(fake.connections()).toBe(before + 1);
  });

  it('sends no command again whose reply came with one that nothing has asked for', async () => {
    await open();
    const before = fake.connections();
    fake.answer('eval', (command) => `${fitting()(command)}+OK\r\n`);
    await expect(ask()).rejects.toThrow('there is no connection');
    fake.answer('eval', fitting());
    await eventually(() => fake.connections() > before);
    await eventually(() => client.info().then(() => true));
    expect(fake.commands.filter((each) => each.startsWith('eval'))).toHaveLength(1);
  });

  it('does not connect again once it is closed', async () => {
    await open();
    const before = fake.connections();
    fake.answer('eval', ':7\r\n');
    await expect(ask()).rejects.toMatchObject(UNAVAILABLE);
    client.close();
    await turns();
    await expect(ask()).rejects.toThrow('there is no connection');
    expect(fake.connections()).toBe(before);
  });

  it.each([
    ['OOM command not allowed', 'full', 'STORE_READ_ONLY'],
    ['READONLY You can not write', 'read_only', 'STORE_READ_ONLY'],
    ['NOREPLICAS Not enough', 'read_only', 'STORE_READ_ONLY'],
    ['CLUSTERDOWN The cluster is down', 'unreachable', undefined],
    ['WRONGTYPE Operation against a key', undefined, undefined],
  ])('says what an error reply means for the store: %s', async (message, fault, reason) => {
    await open();
    fake.answer('eval', `-${message}\r\n`);
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...UNAVAILABLE, ...(reason !== undefined && { reason }) });
    if (reason === undefined) expect(error).not.toMatchObject({ reason: 'STORE_READ_ONLY' });
    expect(String(error)).toContain(message.split(' ')[0]);
    expect(health.fault).toBe(fault);
  });

  it.each([
    ['has no fault yet', undefined, 'unreachable'],
    ['is full', 'full', 'full'],
  ] as const)('without a connection fails, and so does a store that %s', async (_what, before, after) => {
    await open();
    if (before !== undefined) health.fail(before, 'OOM');
    client.close();
    await expect(ask()).rejects.toThrow('there is no connection');
    expect(health.fault).toBe(after);
  });

  it('says that the connection is lost, and when it is back', async () => {
    await open();
    await ask();
    await fake.close();
    await eventually(() => reports.length > 0);
    expect(reports).toEqual(['The session store cannot be used: the connection is lost']);
    fake = await startFakeRedis(fake.port);
    await eventually(() => health.fault === undefined);
    expect(reports.at(-1)).toBe('The session store can be used again');
  });

  it('does not say by a connection that Redis takes writes again', async () => {
    health.fail('full', 'OOM');
    await open();
    await ask();
    expect(health.fault).toBe('full');
  });

  it('ends a connection over which a reply came that nothing has asked for', async () => {
    await open();
    const before = fake.connections();
    await ask();
    fake.inject('+OK\r\n');
    await eventually(() => fake.connections() > before);
    await isBack();
    expect(reports).toEqual([
      'The session store cannot be used: it gave an answer that nothing asked for',
      'The session store can be used again',
    ]);
  });

  it('is there, if without a connection, when the first attempt to connect has failed', async () => {
    await fake.close();
    await open();
    expect([health.fault, health.reason]).toEqual(['unreachable', 'ECONNREFUSED']);
    await expect(ask()).rejects.toMatchObject(UNAVAILABLE);
    fake = await startFakeRedis(fake.port);
    fake.answer('eval', fitting());
    await isBack();
  });

  it('gives up an answer that is late, and its connection when it does not come at all', async () => {
    await open(20);
    const before = fake.connections();
    fake.answer('eval', '');
    holdTimers('setTimeout');
    const asking = ask().catch(String);
    await eventually(() => fake.commands.some((each) => each.startsWith('eval')));
    vi.advanceTimersByTime(19);
    await turns();
    vi.advanceTimersByTime(1);
    expect(await asking).toContain(LATE);
    vi.advanceTimersByTime(139);
    await turns();
    expect(fake.connections()).toBe(before);
    vi.advanceTimersByTime(1);
    // After five seconds of silence it would be given up anyway.
    await eventually(() => fake.connections() > before, 4000);
  });

  it.each([
    ['an answer', fitting()],
    ['an error', () => '-WRONGTYPE Operation against a key\r\n'],
  ])('keeps the connection when %s comes later than it waits', async (_what, reply) => {
    await open(20);
    const before = fake.connections();
    fake.answer('eval', '');
    holdTimers('setTimeout');
    const asking = ask().catch(String);
    await eventually(() => fake.commands.some((each) => each.startsWith('eval')));
    vi.advanceTimersByTime(20);
    expect(await asking).toContain(LATE);
    fake.inject(reply(fake.commands.at(-1) ?? ''));
    await eventually(() => client.info().then(() => true));
    vi.advanceTimersByTime(1000);
    await turns();
    expect(fake.connections()).toBe(before);
  });

  it('finds the new master although a sentinel tells of it while another is just being asked', async () => {
    client = await RedisClient.open(
      { url: `redis+sentinel://127.0.0.1:${fake.port}/group`, timeoutMs: 10_000 },
      health,
    );
    const count = (begin: string): number => fake.commands.filter((each) => each.startsWith(begin)).length;
    await eventually(() => count('subscribe') > 0);
    const looks = count(WHERE);
    fake.answer(WHERE, '');
    fake.drop();
    await eventually(() => count(WHERE) > looks);
    fake.publish('+switch-master', 'group 127.0.0.1 1 127.0.0.1 2');
    await turns();
    fake.answer(WHERE, `*2\r\n${bulk('127.0.0.1')}${bulk(String(fake.port))}`);
    await isBack();
  });

  describe('that waits for replicas', () => {
    const askReplicated = (replicas: number): Promise<unknown> =>
      client.askReplicated(replicas, isOne, 'setMark', 'key', 1000);
    /** The answer to the write, and what follows the wait: the time that the key has left. */
    const answers = (write: string, after: string): void => {
      let asked = 0;
      fake.answer('eval', (command) => fitting((asked += 1) % 2 === 1 ? write : after)(command));
    };

    it('passes on an answer that enough of them have', async () => {
      await open();
      answers(':1\r\n', ':1000\r\n');
      expect(await askReplicated(2)).toBe(1);
      expect(fake.commands).toContain('wait 2 500');
    });

    it('fails when fewer have it, as a store that takes no writes', async () => {
      await open();
      answers(':1\r\n', ':1000\r\n');
      await expect(askReplicated(3)).rejects.toMatchObject({ ...UNAVAILABLE, reason: 'STORE_READ_ONLY' });
      answers(':1\r\n', ':1000\r\n');
      await expect(askReplicated(3)).rejects.toThrow('fewer than 3 replicas have confirmed a write');
    });

    it.each([
      ['the write', ':2\r\n', ':1000\r\n'],
      ['what follows it', ':1\r\n', ':-3\r\n'],
    ])('believes no reply that does not fit %s', async (_what, write, after) => {
      await open();
      answers(write, after);
      await expect(askReplicated(2)).rejects.toThrow('an answer that does not fit');
    });

    it('says what an error reply means for the store', async () => {
      await open();
      fake.answer('wait', '-OOM command not allowed\r\n');
      answers(':1\r\n', ':1000\r\n');
      await expect(askReplicated(2)).rejects.toMatchObject({ reason: 'STORE_READ_ONLY' });
      expect(health.fault).toBe('full');
    });

    it('waits for half a second more than for any other command', async () => {
      await open(20);
      fake.answer('eval', '');
      holdTimers('setTimeout');
      const asking = askReplicated(2).catch(String);
      let isOver = false;
      void asking.then(() => (isOver = true));
      await eventually(() => fake.commands.includes('wait 2 500'));
      vi.advanceTimersByTime(519);
      await turns();
      expect(isOver).toBe(false);
      vi.advanceTimersByTime(1);
      expect(await asking).toContain(LATE);
    });
  });

  describe('that looks through all keys', () => {
    const scanned = async (): Promise<(readonly string[])[]> => {
      const found: (readonly string[])[] = [];
      for await (const names of client.scan('portico:*', 10)) found.push(names);
      return found;
    };

    it.each(['redis', 'redis+cluster'])('gives their names batch by batch: %s', async (scheme) => {
      await open(undefined, scheme);
      await isBack();
      fake.answer('scan 0 match portico:* count 10', `*2\r\n${bulk('7')}*1\r\n${bulk('one')}`);
      fake.answer(
        'scan 7 match portico:* count 10',
        `*2\r\n${bulk('0')}*2\r\n${bulk('two')}${bulk('three')}`,
      );
      expect(await scanned()).toEqual([['one'], ['two', 'three']]);
    });

    it('fails as every command does', async () => {
      await open();
      fake.answer('scan', '-NOPERM this user has no permissions\r\n');
      await expect(scanned()).rejects.toMatchObject({ ...UNAVAILABLE });
      fake.answer('scan', '');
      holdTimers('setTimeout');
      const scanning = scanned().catch(String);
      await eventually(() => fake.commands.filter((each) => each.startsWith('scan')).length === 2);
      vi.advanceTimersByTime(80_000);
      expect(await scanning).toContain(LATE);
    });
  });

  it('tells what Redis says of itself, or why it does not', async () => {
    await open();
    fake.answer('info', bulk('redis_version:9'));
    expect(await client.info()).toBe('redis_version:9');
    fake.answer('info', '-NOPERM CANARY\r\n');
    await expect(client.info()).rejects.toThrow('The session store is unavailable: NOPERM');
  });

  const DROPS =
    'Redis may drop sessions when its memory is full (maxmemory-policy allkeys-lru): use noeviction';
  it.each([
    ['redis', 'noeviction', []],
    ['redis', 'allkeys-lru', [DROPS]],
    ['redis', '', []],
    ['redis+cluster', 'noeviction', []],
    ['redis+cluster', 'allkeys-lru', [DROPS]],
  ])('reports what Redis may drop when it is full: %s, %s', async (scheme, policy, expected) => {
    const asked = gate();
    fake.answer('info memory', () => {
      asked.open();
      return bulk(`maxmemory:0\r\nmaxmemory_policy:${policy}`);
    });
    await open(undefined, scheme);
    await asked.passed;
    await isBack();
    expect(reports).toEqual(expected);
  });
});

describe('a client of Redis without a time limit of its own', () => {
  it('waits as long as the settings do', async () => {
    const fake = await startFakeRedis();
    fake.answer('eval', '');
    const client = await RedisClient.open({ url: `redis://127.0.0.1:${fake.port}` }, new StoreHealth());
    holdTimers('setTimeout');
    const asking = client.ask(isOne, 'setMark', 'key', 1000).catch(String);
    await eventually(() => fake.commands.some((each) => each.startsWith('eval')));
    vi.advanceTimersByTime(60_000);
    expect(await asking).toContain(LATE);
    vi.useRealTimers();
    client.close();
    await fake.close();
  });
});
