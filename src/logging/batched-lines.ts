/** Nobody watches a log more closely than this, and a busy process writes many lines meanwhile. */
const WAIT_MS = 50;
const FULL_CHARACTERS = 32 * 1024;

/** Hands lines on in batches: one write for each line takes longer than the line itself. A line waits for at most 50 ms. */
export class BatchedLines {
  readonly #next: (lines: string) => void;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  /** @param next gets the batches. */
  constructor(next: (lines: string) => void) {
    this.#next = next;
  }

  /** @param line ends with a line feed. */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= FULL_CHARACTERS) this.handOn();
    else this.#timer ??= setTimeout(this.handOn, WAIT_MS);
  }

  /** Hands on what waits now. */
  readonly handOn = (): void => {
    const lines = this.take();
    if (lines !== '') this.#next(lines);
  };

  /** Takes what waits, for a process that exits. */
  take(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }
}
