export interface LoadResult {
  /** Good answers in a second. */
  readonly rate: number;
  readonly answers: number;
  readonly failures: number;
  /** The first failure, in words. */
  readonly firstFailure: string | undefined;
  /** Milliseconds to a good answer. */
  readonly p50: number;
  readonly p99: number;
}

/** Characters of a failure: as many as hold the code of a refusal. */
const WORDS = 200;

/** Counts answers while load is made. */
export class Tally {
  readonly #length: number | undefined;
  readonly #times: number[] = [];
  #failures = 0;
  #firstFailure: string | undefined;

  /** @param length bytes of the right answer, where it is known. */
  constructor(length: number | undefined) {
    this.#length = length;
  }

  add(milliseconds: number, failure: string | undefined, length: number | undefined): void {
    const wrong =
      failure ??
      (length === undefined || this.#length === undefined || length === this.#length
        ? undefined
        : `${length} bytes in place of ${this.#length}`);
    if (wrong === undefined) {
      this.#times.push(milliseconds);
      return;
    }
    this.#failures += 1;
    this.#firstFailure ??= wrong.slice(0, WORDS);
  }

  result(seconds: number): LoadResult {
    const sorted = Float64Array.from(this.#times).sort();
    const quantile = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
    return {
      rate: sorted.length / seconds,
      answers: sorted.length,
      failures: this.#failures,
      firstFailure: this.#firstFailure,
      p50: quantile(0.5),
      p99: quantile(0.99),
    };
  }
}
