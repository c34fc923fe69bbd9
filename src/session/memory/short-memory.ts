import { LRUCache } from 'lru-cache';

/**
 * Keeps a bounded number of things for a short while after their last use: the one that was not used for the longest time
 * goes first. Nothing stays longer than one and a half times `idleMs` after its last use, so a secret does not either.
 */
export class ShortMemory<V extends object> {
  readonly #kept: LRUCache<string, V>;
  readonly #sweepMs: number;
  #sweep: NodeJS.Timeout | undefined;

  /** @param idleMs milliseconds without use after which a thing is no longer given */
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

  /** How many things are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Removes what was not used for too long; the timer does so as long as there is anything. */
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
