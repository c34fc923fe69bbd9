import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnexpectedReplyError } from '../../../src/session/store/redis-socket.js';
import {
  connectRedis,
  isCluster,
  type RedisAccess,
  type RedisConnection,
} from '../../../src/session/store/redis-topology.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type FakeRedis, startFakeRedis } from '../../support/session/start-fake-redis.js';

const NOBODY = '127.0.0.1:9';
const [SERVER, SENTINELS, CLUSTER] = [
  `redis://${NOBODY}`,
  `redis+sentinel://${NOBODY}/group`,
  `redis+cluster://${NOBODY}`,
] as const;

let redis: RedisConnection | undefined;
let errors: Error[];
beforeEach(() => {
  errors = [];
});
afterEach(() => {
  redis?.disconnect();
  redis = undefined;
});

function connect<T extends Redis | Cluster>(access: RedisAccess): RedisConnection & T {
  redis?.disconnect();
  redis = connectRedis(access);
  redis.on('error', (error: Error) => errors.push(error));
  return redis as RedisConnection & T;
}

describe('an attempt to connect to Redis', () => {
  const connectTimeout = (url: string, timeoutMs?: number): number | undefined => {
    const { options } = connect({ url, timeoutMs });
    return 'redisOptions' in options
      ? options.redisOptions?.connectTimeout
      : (options as RedisOptions).connectTimeout;
  };

  it.each([
    ['a server', SERVER],
    ['sentinels', SENTINELS],
    ['a cluster', CLUSTER],
  ])('may take as long as a command, and at least a second: %s', (_what, url) => {
    expect(connectTimeout(url)).toBe(1000);
    expect(connectTimeout(url, 250)).toBe(1000);
    expect(connectTimeout(url, 10_000)).toBe(10_000);
  });

  it('may take as long where a cluster is asked for its slots', () => {
    expect(connect<Cluster>({ url: CLUSTER, timeoutMs: 10_000 }).options.slotsRefreshTimeout).toBe(10_000);
  });

  it('is made again soon, then less and less often, and at least twice a second', () => {
    const [server, sentinels] = [SERVER, SENTINELS].map((url) => connect<Redis>({ url }).options);
    const { clusterRetryStrategy } = connect<Cluster>({ url: CLUSTER }).options;
    for (const pause of [
      server?.retryStrategy,
      sentinels?.retryStrategy,
      sentinels?.sentinelRetryStrategy,
      clusterRetryStrategy,
    ]) {
      expect([1, 2, 25, 1000].map((attempt) => pause?.(attempt))).toEqual([20, 40, 500, 500]);
    }
  });

  it('is not made without the URL of a Redis', () => {
    expect(() => connectRedis({ url: 'https://redis.example' })).toThrow('not the URL of a Redis');
  });

  it.each([
    [SERVER, false],
    [SENTINELS, false],
    [CLUSTER, true],
    ['', false],
  ])('is one to a cluster if the URL says so: %s', (url, is) => {
    expect(isCluster({ url })).toBe(is);
  });
});

describe('a connection to Redis', () => {
  let fake: FakeRedis;
  let client: Redis | undefined;
  beforeEach(async () => {
    fake = await startFakeRedis();
  });
  afterEach(async () => {
    redis?.disconnect();
    client?.disconnect();
    client = undefined;
    await fake.close();
  });

  const clientOf = (options: RedisOptions): Redis => {
    client = new Redis({ lazyConnect: true, connectTimeout: 99, ...options });
    return client;
  };
  const sentinels = (): RedisOptions => ({
    sentinels: [{ host: '127.0.0.1', port: fake.port }],
    name: 'group',
  });
  const server = (): RedisOptions => ({ host: '127.0.0.1', port: fake.port });
  const accesses: Record<string, () => RedisAccess> = {
    'a server': () => ({ url: `redis://127.0.0.1:${fake.port}` }),
    sentinels: () => ({ url: `redis+sentinel://127.0.0.1:${fake.port}/group` }),
    'the server of a client': () => ({ url: '', client: clientOf(server()) }),
    'the sentinels of a client': () => ({ url: '', client: clientOf(sentinels()) }),
  };
  const ready = async (access: RedisAccess): Promise<RedisConnection> => {
    const connection = connect(access);
    await eventually(() => connection.status === 'ready');
    return connection;
  };

  it.each(Object.entries(accesses))(
    'by way of %s ends when a reply comes that nothing has asked for, and is made again',
    async (_what, access) => {
      const connection = await ready(access());
      fake.inject('+OK\r\n');
      await eventually(() => errors.length > 0);
      expect(errors[0]).toBeInstanceOf(UnexpectedReplyError);
      await eventually(() => connection.status === 'ready');
    },
  );

  it('beside a client is a new one at the same place, which is opened at once and queues nothing', async () => {
    const given = clientOf({ ...server(), db: 3, username: 'user', password: 'secret' });
    const connection = connect<Redis>({ url: '', client: given, timeoutMs: 2000 });
    await expect(connection.setMark('key', 1)).rejects.toThrow("Stream isn't writeable");
    await eventually(() => connection.status === 'ready');
    expect(given.status).toBe('wait');
    expect(fake.commands).toEqual(expect.arrayContaining(['hello 3 AUTH user secret', 'select 3']));
    expect(connection.options.connectTimeout).toBe(2000);
  });

  it('is made to the new master when a sentinel says that there is one', async () => {
    const connection = await ready({ url: `redis+sentinel://127.0.0.1:${fake.port}/group` });
    await eventually(() => fake.commands.includes('subscribe +switch-master'));
    const looks = (): number => fake.commands.filter((each) => each.includes('get-master-addr')).length;
    const before = looks();
    fake.publish('+switch-master', 'group 127.0.0.1 1 127.0.0.1 2');
    await eventually(() => looks() > before);
    await eventually(() => connection.status === 'ready');
  });

  it('is made anew when the master has become a replica, and for no other error', async () => {
    const connection = await ready({ url: `redis+sentinel://127.0.0.1:${fake.port}/group` });
    const reconnects: unknown[] = [];
    connection.on('reconnecting', () => reconnects.push('again'));
    fake.answer('eval', '-OOM command not allowed\r\n');
    await expect(connection.setMark('key', 1)).rejects.toThrow('OOM');
    expect(reconnects).toEqual([]);
    fake.answer('eval', '-READONLY You can not write against a replica\r\n');
    await expect(connection.setMark('key', 1)).rejects.toThrow('READONLY');
    await eventually(() => reconnects.length > 0);
  });
});
