/** Repetitions that a connection may always make at once. */
const FLOOR = 3;

/** Share of the calls in flight that may be repetitions, above the floor. */
const SHARE = 0.2;

/**
 * Bounds the repetitions of one connection that are under way together, their pauses included: a platform that fails under its
 * load must not get twice that load.
 */
export class RetryBudget {
  #calls = 0;
  #retries = 0;

  /** Counts a call for as long as it is in flight. */
  async count<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    try {
      return await call();
    } finally {
      this.#calls -= 1;
    }
  }

  /** Makes a repetition when the budget has room for it; undefined, at once, when it has none. */
  retry<T>(repeat: () => Promise<T>): Promise<T> | undefined {
    if (this.#retries >= Math.max(FLOOR, SHARE * this.#calls)) return undefined;
    this.#retries += 1;
    return repeat().finally(() => (this.#retries -= 1));
  }
}
