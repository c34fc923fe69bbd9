import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { connectRedis } from '../session/store/redis-connection.js';
import { redisFault } from '../session/store/redis-fault.js';
import { SessionStoreUnavailableError } from '../errors/session-store-unavailable-error.js';

/** Counts failures under a key, for a minute from the first. */
export interface FailureCounter {
  /** The failures so far and the milliseconds until they are forgotten; null where there are none. */
  get(key: string): Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'> | null>;
  add(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The injection token of the {@link FailureCounter}. */
export const FailureCounter = Symbol('FailureCounter');

const WINDOW_SECONDS = 60;
const KEY_PREFIX = 'portico:login-failures';

/** Counts in this process. */
export function countInProcess(seconds = WINDOW_SECONDS): FailureCounter {
  const counts = new RateLimiterMemory({ points: 1, duration: seconds });
  return {
    get: (key) => counts.get(key),
    add: async (key) => {
      await counts.penalty(key, 1);
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Counts where the sessions of many instances are kept, over a connection of its own.
 * While Redis is away every method throws {@link SessionStoreUnavailableError}: nobody could log in then anyway.
 */
export async function countInRedis(url: string, report: (message: string) => void): Promise<FailureCounter> {
  const redis = await connectRedis(url, report);
  const counts = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: KEY_PREFIX,
    points: 1,
    duration: WINDOW_SECONDS,
  });
  const orUnavailable = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new SessionStoreUnavailableError(redisFault(error));
    }
  };
  return {
    get: (key) => orUnavailable(() => counts.get(key)),
    add: async (key) => {
      await orUnavailable(() => counts.penalty(key, 1));
    },
    close: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
