import { type LeaseState } from './session-store.js';

interface Lease {
  /** Undefined once it is settled. */
  readonly holder: string | undefined;
  readonly from: number;
  readonly until: number;
}

/** The leases of a store that only one process uses. They end with the process, as do their holders. */
export class LeaseTable {
  readonly #leases = new Map<string, Lease>();
  readonly #now: () => number;

  /** @param now milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  lease(key: string, holder: string, milliseconds: number): LeaseState {
    const current = this.#current(key);
    if (current !== undefined && current.holder === undefined) return 'settled';
    if (current !== undefined && current.holder !== holder) return 'held';
    this.#put(key, holder, milliseconds);
    return 'taken';
  }

  settle(key: string, holder: string, milliseconds: number): boolean {
    if (this.#current(key)?.holder !== holder) return false;
    if (milliseconds > 0) this.#put(key, undefined, milliseconds);
    else this.#leases.delete(key);
    return true;
  }

  /** How many leases are kept. */
  get size(): number {
    return this.#leases.size;
  }

  #current(key: string): Lease | undefined {
    const lease = this.#leases.get(key);
    return lease !== undefined && this.#isRunning(lease) ? lease : undefined;
  }

  /**
   * A lease that starts in the future was taken before the clock was set back, so its age is unknown: it has ended.
   */
  #isRunning({ from, until }: Lease): boolean {
    const now = this.#now();
    return from <= now && now < until;
  }

  /** Leases are short, so the oldest have ended. They are removed as new ones are added. */
  #put(key: string, holder: string | undefined, milliseconds: number): void {
    const from = this.#now();
    this.#leases.delete(key);
    this.#leases.set(key, { holder, from, until: from + milliseconds });
    for (const [old, lease] of this.#leases) {
      if (this.#isRunning(lease)) return;
      this.#leases.delete(old);
    }
  }
}
