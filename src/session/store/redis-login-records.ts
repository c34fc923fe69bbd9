import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type LoginRecords, PLACE_SECONDS, WINDOW_SECONDS } from './login-records.js';
import { type RedisConnection } from './redis-connection.js';
import { orUnavailable } from './redis-fault.js';

const FAILURES = 'portico:login-failures';
const LOGINS = 'portico:logins';
const PLACE = 'portico:login-place:';

/**
 * Keeps the history in Redis, shared by all instances. The library writes the counters. They are read here in one command,
 * because the library would need four for each.
 */
export function recordLoginsInRedis(redis: RedisConnection): LoginRecords {
  const window = { storeClient: redis, points: 1, duration: WINDOW_SECONDS };
  const failures = new RateLimiterRedis({ ...window, keyPrefix: FAILURES });
  const logins = new RateLimiterRedis({ ...window, keyPrefix: LOGINS });
  return {
    look: (keys, place) =>
      orUnavailable(async () => {
        const names = keys.map((key) => failures.getKey(key));
        const found = await redis.mget(...names, ...(place === undefined ? [] : [PLACE + place]));
        return {
          failures: keys.map((_key, index) => Number(found[index] ?? 0)),
          isKnownPlace: place !== undefined && found[keys.length] !== null,
        };
      }),
    addFailure: (keys) =>
      orUnavailable(async () => {
        await Promise.all(keys.map((key) => failures.penalty(key, 1)));
      }),
    failuresEndIn: (key) => orUnavailable(async () => (await failures.get(key))?.msBeforeNext ?? 0),
    addPlace: (place) =>
      orUnavailable(async () => {
        await redis.set(PLACE + place, '', 'EX', PLACE_SECONDS);
      }),
    addLogin: (key) =>
      orUnavailable(async () => {
        const { consumedPoints, msBeforeNext } = await logins.penalty(key, 1);
        return { logins: consumedPoints, endsIn: msBeforeNext };
      }),
  };
}
