/** What can be wrong with a store. */
export const STORE_FAULTS = [
  /** Redis cannot be reached, or its answers cannot be trusted. */
  'unreachable',
  /** There is no space. */
  'full',
  /** It takes no writes for another reason: Redis is a replica, has too few of them, or cannot save its data. */
  'read_only',
  /** The file, or its folder, is gone. */
  'missing',
  /** There is another file in its place. */
  'replaced',
  /** Something else wrote to the file, which is sound. */
  'changed',
  /** The file is damaged. */
  'corrupt',
  /** Beside the file was the journal of another database. */
  'foreign_journal',
  /** The file was of a newer version that this one would misunderstand. */
  'newer',
  /** A write or a read failed for another reason. */
  'failed',
] as const;

export type StoreFault = (typeof STORE_FAULTS)[number];

/** Whether the store can do its work, and what went wrong since the process started. */
export class StoreHealth {
  readonly #counts = new Map<StoreFault, number>();
  /** What keeps the store from its work now; undefined if nothing does. Set here alone, as the others are. */
  fault: StoreFault | undefined;
  /** The same in words. */
  reason: string | undefined;
  /** What went wrong last, even if it has been repaired. */
  lastFault: StoreFault | undefined;

  /** @param report called with what an operator should know; never contains a secret */
  constructor(readonly report: (message: string) => void = () => undefined) {}

  /** Whether sessions can still be read although nothing can be written, as far as is known. */
  get isDegraded(): boolean {
    return this.fault !== undefined && this.fault !== 'unreachable';
  }

  /** How often something went wrong in this way. */
  count(fault: StoreFault): number {
    return this.#counts.get(fault) ?? 0;
  }

  /** The store cannot do its work. Repeated attempts fail in the same way: that is reported once. */
  fail(fault: StoreFault, reason: string): void {
    if (this.reason === reason) return;
    if (this.fault !== fault) this.#note(fault);
    this.fault = fault;
    this.reason = reason;
    const what = this.isDegraded ? 'takes no writes, so logins fail and sessions go on' : 'cannot be used';
    this.report(`The session store ${what}: ${reason}`);
  }

  /** The store can do its work. */
  recover(): void {
    if (this.fault === undefined) return;
    this.fault = this.reason = undefined;
    this.report('The session store can be used again');
  }

  /** Something was wrong and has been repaired. */
  repaired(fault: StoreFault, message: string): void {
    if (this.fault !== fault) this.#note(fault);
    this.fault = this.reason = undefined;
    this.report(message);
  }

  #note(fault: StoreFault): void {
    this.lastFault = fault;
    this.#counts.set(fault, this.count(fault) + 1);
  }
}
