import { LRUCache } from 'lru-cache';

/**
 * The history of logins, shared by all instances on one store. Each method throws `ServiceError`
 * `SESSION_STORE_UNAVAILABLE`.
 */
export interface LoginRecords {
  /**
   * Looks up the history before an attempt, in one step.
   *
   * @param failureKeys the keys whose failures are wanted.
   * @param place an account and a network, as one key.
   */
  look(failureKeys: readonly string[], place: string | undefined): Promise<LoginHistory>;
  /** Adds one failure under each key. A count lasts for a minute from its first failure. */
  addFailure(failureKeys: readonly string[]): Promise<void>;
  /** Milliseconds until the failures under a key are forgotten. */
  failuresEndIn(failureKey: string): Promise<number>;
  /** Remembers for thirty days that a login has succeeded at a place. */
  addPlace(place: string): Promise<void>;
  /** Adds a login under a key, whether it succeeds or not. A count lasts for a minute from its first login. */
  addLogin(key: string): Promise<LoginCount>;
}

export interface LoginHistory {
  /** The failures under each key, in the order of the keys. */
  readonly failures: readonly number[];
  /** Whether a login has succeeded at the place before. */
  readonly isKnownPlace: boolean;
}

export interface LoginCount {
  readonly logins: number;
  /** Milliseconds until the count starts again. */
  readonly endsIn: number;
}

/** The injection token of the {@link LoginRecords}. */
export const LoginRecords = Symbol('LoginRecords');

export const WINDOW_SECONDS = 60;
export const PLACE_SECONDS = 30 * 24 * 60 * 60;

/** About 100 bytes each. */
const MOST_PLACES = 100_000;
const MOST_COUNTS = 100_000;

/** Keeps the history in this process until it ends. */
export function recordLoginsInProcess(): LoginRecords {
  const failures = minuteCounts();
  const logins = minuteCounts();
  // With `max`, it would take the memory for all of them now.
  const places = new LRUCache<string, true>({ maxSize: MOST_PLACES, sizeCalculation: () => 1 });
  return {
    look: (keys, place) =>
      Promise.resolve({
        failures: keys.map((key) => failures.get(key) ?? 0),
        isKnownPlace: place !== undefined && places.has(place),
      }),
    addFailure: (keys) => {
      for (const key of keys) failures.set(key, (failures.get(key) ?? 0) + 1);
      return Promise.resolve();
    },
    failuresEndIn: (key) => Promise.resolve(endsIn(failures, key)),
    addPlace: (place) => {
      places.set(place, true);
      return Promise.resolve();
    },
    addLogin: (key) => {
      const count = (logins.get(key) ?? 0) + 1;
      logins.set(key, count);
      return Promise.resolve({ logins: count, endsIn: endsIn(logins, key) });
    },
  };
}

/** Counts by key, each for a minute from its first. */
function minuteCounts(): LRUCache<string, number> {
  return new LRUCache({
    maxSize: MOST_COUNTS,
    sizeCalculation: () => 1,
    // At the end of it, a count is still there.
    ttl: WINDOW_SECONDS * 1000 - 1,
    noUpdateTTL: true,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf: { now: () => Date.now() },
  });
}

function endsIn(counts: LRUCache<string, number>, key: string): number {
  return counts.has(key) ? counts.getRemainingTTL(key) + 1 : 0;
}
