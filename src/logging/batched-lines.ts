/** Nobody watches a log more closely than this, and a busy process writes many lines meanwhile. */
const WAIT_MS = 50;
const FULL_CHARACTERS = 32 * 1024;

/** Where batches go. */
export interface Destination {
  write(lines: string): unknown;
  flushSync(): void;
}

/**
 * A destination that hands lines on in batches: one write for each line takes longer than the line itself. A line waits for at
 * most 50 ms, and whatever waits when the process exits is written then. Only a killed process loses it.
 */
export class BatchedLines {
  readonly #destination: Destination;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  /** @param line ends with a line feed. */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= FULL_CHARACTERS) this.handOn();
    else this.#timer ??= setTimeout(this.handOn, WAIT_MS);
  }

  /** Writes what waits before it returns. pino calls it for a fatal line. */
  flushSync(): void {
    this.handOn();
    this.#destination.flushSync();
  }

  /** Writes what waits for more now. */
  readonly handOn = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#destination.write(lines);
  };
}
