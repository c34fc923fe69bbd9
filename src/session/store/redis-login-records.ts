import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type LoginRecords, PLACE_SECONDS, WINDOW_SECONDS } from './login-records.js';
import { type RedisConnection } from './redis-connection.js';
import { askRedis, orUnavailable } from './redis-fault.js';
import {
  areTextsOrNone,
  expectReply,
  isCountAndTime,
  isOk,
  isTimeLeft,
  type ReplyForm,
} from './redis-replies.js';

const FAILURES = 'portico:login-failures';
const LOGINS = 'portico:logins';
const PLACE = 'portico:login-place:';

const COUNT = /^\d{1,15}$/;
/** A place has no value. */
const MARK = /^$/;

/**
 * Keeps the history in Redis, shared by all instances. The library writes the counters. They are read here in one command,
 * because the library would need four for each.
 */
export function recordLoginsInRedis(redis: RedisConnection): LoginRecords {
  const window = { storeClient: checkedCounter(redis), points: 1, duration: WINDOW_SECONDS };
  const failures = new RateLimiterRedis({ ...window, keyPrefix: FAILURES });
  const logins = new RateLimiterRedis({ ...window, keyPrefix: LOGINS });
  const ask = <T>(hasForm: ReplyForm<T>, command: () => Promise<unknown>): Promise<T> =>
    askRedis(redis, hasForm, command);
  return {
    look: async (keys, place) => {
      const names = keys.map((key) => failures.getKey(key));
      const places = place === undefined ? [] : [PLACE + place];
      const form = areTextsOrNone([...names.map(() => COUNT), ...places.map(() => MARK)]);
      const found = await ask(form, () => redis.mget(...names, ...places));
      return {
        failures: keys.map((_key, index) => Number(found[index] ?? 0)),
        isKnownPlace: typeof found[keys.length] === 'string',
      };
    },
    addFailure: (keys) =>
      orUnavailable(async () => {
        await Promise.all(keys.map((key) => failures.penalty(key, 1)));
      }),
    failuresEndIn: async (key) => Math.max(0, await ask(isTimeLeft, () => redis.pttl(failures.getKey(key)))),
    addPlace: async (place) => {
      await ask(isOk, () => redis.set(PLACE + place, '', 'EX', PLACE_SECONDS));
    },
    addLogin: (key) =>
      orUnavailable(async () => {
        const { consumedPoints, msBeforeNext } = await logins.penalty(key, 1);
        return { logins: consumedPoints, endsIn: msBeforeNext };
      }),
  };
}

/** The library's script, as a method of the client. */
interface Counting {
  rlflxIncr(parts: readonly string[]): Promise<unknown>;
}

/** What the library needs of the client to count. It makes numbers of whatever comes back, so the replies are checked here. */
function checkedCounter(redis: RedisConnection): Counting & Pick<RedisConnection, 'defineCommand'> {
  return {
    defineCommand: (name, script) => {
      redis.defineCommand(name, script);
    },
    rlflxIncr: async (parts) =>
      expectReply(redis, await (redis as unknown as Counting).rlflxIncr(parts), isCountAndTime),
  };
}
