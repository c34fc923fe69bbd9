import { Cluster } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { connectRedis, type RedisConnection } from '../../../src/session/store/redis-topology.js';

const NOBODY = '127.0.0.1:9';

describe('an attempt to connect to Redis', () => {
  let redis: RedisConnection;
  afterEach(() => {
    redis.disconnect();
  });

  const connectTimeout = (url: string, timeoutMs?: number): number | undefined => {
    redis = connectRedis({ url, timeoutMs });
    redis.on('error', () => undefined);
    return redis instanceof Cluster
      ? redis.options.redisOptions?.connectTimeout
      : redis.options.connectTimeout;
  };

  it.each([
    ['a server', `redis://${NOBODY}`],
    ['sentinels', `redis+sentinel://${NOBODY}/group`],
    ['a cluster', `redis+cluster://${NOBODY}`],
  ])('may take as long as a command, and at least a second: %s', (_what, url) => {
    expect(connectTimeout(url)).toBe(1000);
    redis.disconnect();
    expect(connectTimeout(url, 250)).toBe(1000);
    redis.disconnect();
    expect(connectTimeout(url, 10_000)).toBe(10_000);
  });
});
