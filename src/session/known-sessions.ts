import { LRUCache } from 'lru-cache';

/** Only hashes are kept, about 3 MB in all. */
const MOST_KNOWN = 20_000;

/**
 * The store keys of the sessions that began here or were found lately. A handle with any other key may be made up.
 */
export class KnownSessions {
  readonly #keys = new LRUCache<string, true>({ max: MOST_KNOWN });

  add(key: string): void {
    this.#keys.set(key, true);
  }

  has(key: string): boolean {
    // So that a session in use is not the next one to be forgotten.
    return this.#keys.get(key) !== undefined;
  }
}
