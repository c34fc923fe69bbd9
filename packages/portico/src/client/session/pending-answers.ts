/** The calls of one session whose answers have not been stored yet: any of them may renew its token or cookies. */
export class PendingAnswers {
  /** Numbers of the calls, in the order in which they started. */
  readonly #calls = new Set<number>();
  readonly #waiting = new Set<() => void>();
  #last = 0;

  /** Counts a call until it has stored its answer. */
  async count<T>(call: () => Promise<T>): Promise<T> {
    const number = (this.#last += 1);
    this.#calls.add(number);
    try {
      return await call();
    } finally {
      this.#calls.delete(number);
      for (const check of this.#waiting) check();
    }
  }

  /** Resolves when a condition holds, or all calls that are in flight now have ended, or the signal aborts. */
  until(condition: () => boolean, signal?: AbortSignal | null): Promise<void> {
    const last = this.#last;
    const isOver = (): boolean =>
      condition() || signal?.aborted === true || (this.#oldest() ?? Infinity) > last;
    if (isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isOver()) return;
        this.#waiting.delete(check);
        signal?.removeEventListener('abort', check);
        resolve();
      };
      this.#waiting.add(check);
      signal?.addEventListener('abort', check);
    });
  }

  #oldest(): number | undefined {
    return this.#calls.values().next().value;
  }
}
