import { setTimeout as pause } from 'node:timers/promises';

const RETRY_MS = 1000;
/** A reader that is slow takes more soon. */
const FULL_PIPE_MS = 20;
const PIPE_BYTES = 64 * 1024;
const MEGABYTE = 1024 * 1024;

/** Where lines go. */
export interface LineTarget {
  /** What it is, at the start of a sentence. */
  readonly name: string;
  /** The most that waits; more is lost, and counted. */
  readonly mostBytes: number;
  /** Writes some of the bytes at least, and returns how many. Also called with none, after `wake`. */
  readonly write: (bytes: Buffer) => Promise<number>;
  /** Called once when lines cannot be written, and once when they can again. */
  readonly report: (message: string) => void;
}

/**
 * Lines on their way to a file or a reader, with one writer for all of them, so that none lands in the middle of
 * another. A full disk or a reader that is slow, stuck or gone neither fails nor delays a request: a limited number
 * of bytes waits, and writing is tried again.
 */
export class WaitingLines {
  readonly #target: LineTarget;
  readonly #closing = new AbortController();
  /** The first may be the rest of a line. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** How many bytes are being written now: the first that wait. */
  #bytesOnTheWay = 0;
  #lost = 0;
  #isWoken = false;
  #hasFailed = false;
  #draining: Promise<void> | undefined;

  constructor(target: LineTarget) {
    this.#target = target;
  }

  /**
   * @param lines ends with a line feed.
   * @param reserve how many more bytes than usual may wait, for lines that matter more.
   */
  write(lines: string, reserve = 0): void {
    const bytes = Buffer.from(lines);
    if (this.#waitingBytes + bytes.length > this.#target.mostBytes + reserve) {
      this.#lost += lines.split('\n').length - 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#draining ??= this.#drain();
  }

  /** Calls the target even if nothing waits, and until it does not fail. */
  wake(): void {
    this.#isWoken = true;
    this.#draining ??= this.#drain();
  }

  /**
   * Writes what is left, unless that fails.
   *
   * @param milliseconds how long it waits at most for a reader that is slow.
   */
  async close(milliseconds?: number): Promise<void> {
    this.#closing.abort();
    if (milliseconds === undefined) await this.#draining;
    else await Promise.race([this.#draining, pause(milliseconds, undefined, { ref: false })]);
  }

  /**
   * Takes what waits, for a process that exits. What is on its way may arrive or not; it is left out.
   */
  take(): Buffer {
    const onTheWay = this.#bytesOnTheWay > 0 ? 1 : 0;
    const bytes = Buffer.concat(this.#waiting.splice(onTheWay));
    this.#waitingBytes -= bytes.length;
    return bytes;
  }

  /** One at a time, so that lines keep their order. */
  async #drain(): Promise<void> {
    while (this.#isWoken || this.#waitingBytes > 0) {
      try {
        this.#isWoken = false;
        await this.#writeOnce();
        this.#reportLoss();
        this.#recovered();
      } catch (error) {
        this.#isWoken = true;
        const { code = 'unknown error' } = error as NodeJS.ErrnoException;
        if (code === 'EAGAIN') {
          this.#reportLoss();
          await pause(FULL_PIPE_MS);
          continue;
        }
        this.#failed(code);
        if (this.#closing.signal.aborted) break;
        await this.#pauseUnlessClosing();
      }
    }
    this.#draining = undefined;
  }

  async #pauseUnlessClosing(): Promise<void> {
    const options = { ref: false, signal: this.#closing.signal };
    await pause(RETRY_MS, undefined, options).catch(() => undefined);
  }

  async #writeOnce(): Promise<void> {
    const bytes = this.#next();
    this.#bytesOnTheWay = bytes.length;
    try {
      const written = await this.#target.write(bytes);
      this.#waitingBytes -= written;
      if (written < bytes.length) this.#waiting[0] = bytes.subarray(written);
      else if (written > 0) this.#waiting.shift();
    } finally {
      this.#bytesOnTheWay = 0;
    }
  }

  /** The first of what waits: many lines together, but not more than a pipe takes. */
  #next(): Buffer {
    let count = 0;
    for (let size = 0; size < PIPE_BYTES && count < this.#waiting.length; count += 1) {
      size += this.#waiting[count]?.length ?? 0;
    }
    if (count > 1) this.#waiting.unshift(Buffer.concat(this.#waiting.splice(0, count)));
    return this.#waiting[0] ?? Buffer.alloc(0);
  }

  #reportLoss(): void {
    if (this.#lost > 0) this.#failed('its reader is too slow');
  }

  #failed(reason: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { name, mostBytes, report } = this.#target;
    report(
      `${name} cannot be written (${reason}): up to ${mostBytes / MEGABYTE} MB of it waits until it can`,
    );
  }

  /** After lines were lost, it has recovered only when there is space for as many again. */
  #recovered(): void {
    if (!this.#hasFailed || (this.#lost > 0 && this.#waitingBytes > this.#target.mostBytes / 2)) return;
    this.#target.report(`${this.#target.name} is written again; lines that were lost: ${this.#lost}`);
    this.#hasFailed = false;
    this.#lost = 0;
  }
}
