/** Iterations in a row in which nothing but new connections is served, at most. */
const MOST_SKIPPED = 8;
/**
 * Requests that begin in one iteration: few, so that those that have begun end first, and iterations are short. With fewer than
 * four, the number of iterations costs more than it gains.
 */
const REQUESTS_PER_ITERATION = 4;

/**
 * Lets new connections in before new work begins. libuv accepts one connection per iteration of the event loop, so while
 * iterations are long, callers and probes wait in the backlog behind each other, whatever is decided about their requests.
 * While connections come in, work waits for an iteration that brings none, or for the end of a short burst of them.
 */
export class EventLoopPacer {
  readonly #requests: (() => void)[] = [];
  readonly #heavy: (() => void)[] = [];
  #isScheduled = false;
  #isFresh = false;
  #skipped = 0;

  /** A new connection has been accepted. */
  readonly connected = (): void => {
    this.#isFresh = true;
    this.#schedule();
  };

  /** Whether connections are coming in, so that a request has to wait for its turn. */
  get isBusy(): boolean {
    return this.#isFresh || this.#skipped > 0 || this.#requests.length > 0;
  }

  /** How many requests wait for their turn. */
  get waiting(): number {
    return this.#requests.length;
  }

  /** Resolves when a request may begin. */
  turn(): Promise<void> {
    return new Promise((begin) => {
      this.#requests.push(begin);
      this.#schedule();
    });
  }

  /** Begins work that takes many milliseconds, in an iteration without any other of its kind. */
  readonly beginHeavy = (work: () => void): void => {
    this.#heavy.push(work);
    this.#schedule();
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isScheduled = false;
    const skips = this.#isFresh && this.#skipped < MOST_SKIPPED;
    this.#isFresh = false;
    this.#skipped = skips ? this.#skipped + 1 : 0;
    const begun = skips
      ? []
      : [...this.#requests.splice(0, REQUESTS_PER_ITERATION), ...this.#heavy.splice(0, 1)];
    if (skips || this.#requests.length > 0 || this.#heavy.length > 0) this.#schedule();
    for (const begin of begun) begin();
  };
}
