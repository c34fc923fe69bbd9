import { type LeaseState } from './session-store.js';

interface Lease {
  /** Undefined once it is settled. */
  readonly holder: string | undefined;
  readonly until: number;
}

/** The leases of a store that one process has for itself: they end with it, and so do all who hold them. */
export class LeaseTable {
  private readonly leases = new Map<string, Lease>();

  /** @param now milliseconds. */
  constructor(private readonly now: () => number) {}

  lease(key: string, holder: string, milliseconds: number): LeaseState {
    const current = this.current(key);
    if (current !== undefined && current.holder === undefined) return 'settled';
    if (current !== undefined && current.holder !== holder) return 'held';
    this.put(key, { holder, until: this.now() + milliseconds });
    return 'taken';
  }

  settle(key: string, holder: string, milliseconds: number): boolean {
    if (this.current(key)?.holder !== holder) return false;
    if (milliseconds > 0) this.put(key, { holder: undefined, until: this.now() + milliseconds });
    else this.leases.delete(key);
    return true;
  }

  private current(key: string): Lease | undefined {
    const lease = this.leases.get(key);
    return lease !== undefined && lease.until > this.now() ? lease : undefined;
  }

  /** Leases are short, so the oldest have ended: they go as new ones come. */
  private put(key: string, lease: Lease): void {
    this.leases.delete(key);
    this.leases.set(key, lease);
    for (const [old, { until }] of this.leases) {
      if (until > this.now()) return;
      this.leases.delete(old);
    }
  }
}
