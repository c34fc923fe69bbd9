import { LRUCache } from 'lru-cache';

/**
 * Keeps a bounded number of values for a short while after their last use. The least recently used one is dropped first. No
 * value, and so no secret, stays longer than one and a half times `idleMs` after its last use.
 */
export class ShortMemory<V extends object> {
  readonly #kept: LRUCache<string, V>;
  readonly #sweepMs: number;
  #sweep: NodeJS.Timeout | undefined;

  /** @param idleMs milliseconds without use after which a value is no longer returned */
  constructor(most: number, idleMs: number, now: () => number = () => performance.now()) {
    this.#sweepMs = Math.ceil(idleMs / 2);
    this.#kept = new LRUCache({
      max: most,
      ttl: idleMs,
      updateAgeOnGet: true,
      ttlResolution: 0,
      perf: { now },
    });
  }

  get(key: string): V | undefined {
    return this.#kept.get(key);
  }

  set(key: string, value: V): void {
    this.#kept.set(key, value);
    this.#sweep ??= setTimeout(() => {
      this.sweep();
    }, this.#sweepMs).unref();
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  /** How many values are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Removes what has not been used for too long. The timer runs while there is anything to remove. */
  sweep(): void {
    clearTimeout(this.#sweep);
    this.#sweep = undefined;
    this.#kept.purgeStale();
    if (this.#kept.size === 0) return;
    this.#sweep = setTimeout(() => {
      this.sweep();
    }, this.#sweepMs).unref();
  }
}
