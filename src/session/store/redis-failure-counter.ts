import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type FailureCounter, failureCounter, WINDOW_SECONDS } from './failure-counter.js';
import { type RedisConnection } from './redis-connection.js';
import { orUnavailable } from './redis-fault.js';

const KEY_PREFIX = 'portico:login-failures';

/** Counts in Redis, together with all other instances. Without Redis it fails: then nobody can log in anyway. */
export function countInRedis(redis: RedisConnection): FailureCounter {
  const counter = failureCounter(
    new RateLimiterRedis({ storeClient: redis, keyPrefix: KEY_PREFIX, points: 1, duration: WINDOW_SECONDS }),
  );
  return {
    get: (key) => orUnavailable(() => counter.get(key)),
    add: (key) => orUnavailable(() => counter.add(key)),
  };
}
