/** What can be wrong with a store. */
export const STORE_FAULTS = [
  /** Redis cannot be reached, or its answers cannot be trusted. */
  'unreachable',
  /** There is no space. */
  'full',
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
  /** A write or a read failed for another reason. */
  'failed',
] as const;

export type StoreFault = (typeof STORE_FAULTS)[number];

/** Whether the store can do its work, and what went wrong since the process started. */
export class StoreHealth {
  readonly #counts = new Map<StoreFault, number>();
  #current: { readonly fault: StoreFault; readonly reason: string } | undefined;
  #last: StoreFault | undefined;

  /** @param report called with what an operator should know; never contains a secret */
  constructor(readonly report: (message: string) => void = () => undefined) {}

  /** What keeps the store from its work now, in words; undefined if nothing does. */
  get reason(): string | undefined {
    return this.#current?.reason;
  }

  get fault(): StoreFault | undefined {
    return this.#current?.fault;
  }

  /** What went wrong last, even if it has been repaired. */
  get lastFault(): StoreFault | undefined {
    return this.#last;
  }

  /** How often something went wrong in this way. */
  count(fault: StoreFault): number {
    return this.#counts.get(fault) ?? 0;
  }

  /** The store cannot do its work. Repeated attempts fail in the same way: that is reported once. */
  fail(fault: StoreFault, reason: string): void {
    if (this.#current?.reason === reason) return;
    if (this.#current?.fault !== fault) this.#note(fault);
    this.#current = { fault, reason };
    this.report(`The session store cannot be used: ${reason}`);
  }

  /** The store can do its work. */
  recover(): void {
    if (this.#current === undefined) return;
    this.#current = undefined;
    this.report('The session store can be used again');
  }

  /** Something was wrong and has been repaired. */
  repaired(fault: StoreFault, message: string): void {
    if (this.#current?.fault !== fault) this.#note(fault);
    this.#current = undefined;
    this.report(message);
  }

  #note(fault: StoreFault): void {
    this.#last = fault;
    this.#counts.set(fault, this.count(fault) + 1);
  }
}
