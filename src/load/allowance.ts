/** How long it is saved up. */
const BURST_MS = 20;

/** How much may be done by now of what has a rate. */
export class Allowance {
  #left = 0;

  /** Whether one more may be done. */
  get isLeft(): boolean {
    return this.#left >= 1;
  }

  earn(perSecond: number, milliseconds: number): void {
    const most = Math.max(1, (perSecond * BURST_MS) / 1000);
    this.#left = Math.min(this.#left + (perSecond * milliseconds) / 1000, most);
  }

  take(): void {
    this.#left = Math.max(0, this.#left - 1);
  }
}
