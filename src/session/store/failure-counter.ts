import { type RateLimiterAbstract, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Counts failed logins under a key, for one minute from the first. */
export interface FailureCounter {
  /**
   * The failures so far and the milliseconds until they are forgotten; null if there are none.
   *
   * @throws SessionStoreUnavailableError
   */
  get(key: string): Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'> | null>;
  /** @throws SessionStoreUnavailableError */
  add(key: string): Promise<void>;
}

/** The injection token of the {@link FailureCounter}. */
export const FailureCounter = Symbol('FailureCounter');

export const WINDOW_SECONDS = 60;

/** Counts in this process. */
export function countInProcess(seconds = WINDOW_SECONDS): FailureCounter {
  return failureCounter(new RateLimiterMemory({ points: 1, duration: seconds }));
}

/** Counts with any limiter of the library. */
export function failureCounter(limiter: RateLimiterAbstract): FailureCounter {
  return {
    get: (key) => limiter.get(key),
    add: async (key) => {
      await limiter.penalty(key, 1);
    },
  };
}
