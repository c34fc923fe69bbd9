import { write, writeSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const MEGABYTE = 1024 * 1024;
const MOST_WAITING_BYTES = 8 * MEGABYTE;
/** How much longer the audit log may be than the log alone. */
const AUDIT_RESERVE = MEGABYTE;
/** How long a process that stops waits for a reader that is slow. */
const STOP_MS = 3000;

/** Short enough for a person who watches the log; a busy process writes many lines meanwhile. */
const BATCH_MS = 50;
const BATCH_CHARACTERS = 32 * 1024;

const writeSome = promisify(write);

/**
 * Hands lines on in batches: one write for each line takes longer than the line itself. A line waits for at most 50
 * ms.
 */
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
    if (this.#lines.length >= BATCH_CHARACTERS) this.handOn();
    else this.#timer ??= setTimeout(this.handOn, BATCH_MS);
  }

  /** Hands on what waits now. */
  readonly handOn = (): void => {
    if (this.#lines !== '') this.#next(this.take());
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

/**
 * The only way to standard output: for the log, the audit log and the start screen. Two writers would cut each
 * other's lines in two if the reader is slow.
 */
export class StandardOutput extends BatchedLines {
  readonly #fd: number;
  readonly #waiting: WaitingLines;

  constructor() {
    // Node makes a pipe non-blocking when this is first read.
    const { fd } = process.stdout;
    const waiting = new WaitingLines({
      name: 'Standard output',
      mostBytes: MOST_WAITING_BYTES,
      write: async (bytes) => (await writeSome(fd, bytes)).bytesWritten,
      report: (message) => process.stderr.write(`${message}\n`),
    });
    super((lines) => {
      waiting.write(lines);
    });
    this.#fd = fd;
    this.#waiting = waiting;
    process.on('exit', () => {
      this.flushSync();
    });
  }

  /** Writes a line without waiting for others, and even if the log is too long already. */
  writeAudit(line: string): void {
    this.handOn();
    this.#waiting.write(line, AUDIT_RESERVE);
  }

  /** Before the process exits: waits until the reader has everything, at most for three seconds. */
  async close(): Promise<void> {
    this.handOn();
    await this.#waiting.close(STOP_MS);
  }

  /** Writes what waits before it returns, as far as the reader takes it. pino calls it for a fatal line. */
  flushSync(): void {
    writeAtOnce(this.#fd, Buffer.concat([this.#waiting.take(), Buffer.from(this.take())]));
  }
}

function writeAtOnce(fd: number, bytes: Buffer): void {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  } catch {
    // The reader takes no more, or the disk is full. An exiting process does not wait for either.
  }
}

let shared: StandardOutput | undefined;

/** The standard output of this process. */
export function standardOutput(): StandardOutput {
  return (shared ??= new StandardOutput());
}

const RETRY_MS = 1000;
/** A reader that is slow takes more soon. */
const FULL_PIPE_MS = 20;
const PIPE_BYTES = 64 * 1024;

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

  /** One write at a time, so that lines keep their order. Those of one turn of the event loop share the first. */
  async #drain(): Promise<void> {
    await nextTurn();
    while (this.#isWoken || this.#waitingBytes > 0) {
      try {
        this.#isWoken = false;
        await this.#writeOnce();
        if (this.#lost > 0) this.#failed('its reader is too slow');
        if (this.#hasFailed) this.#recovered();
      } catch (error) {
        this.#isWoken = true;
        const { code = 'unknown error' } = error as NodeJS.ErrnoException;
        if (code === 'EAGAIN') {
          if (this.#lost > 0) this.#failed('its reader is too slow');
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

  /** Writes the first of what waits: many lines together, but not more than a pipe takes. */
  async #writeOnce(): Promise<void> {
    let count = 0;
    for (let size = 0; size < PIPE_BYTES && count < this.#waiting.length; count += 1) {
      size += this.#waiting[count]?.length ?? 0;
    }
    if (count > 1) this.#waiting.unshift(Buffer.concat(this.#waiting.splice(0, count)));
    const bytes = this.#waiting[0] ?? Buffer.alloc(0);
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
    if (this.#lost > 0 && this.#waitingBytes > this.#target.mostBytes / 2) return;
    this.#target.report(`${this.#target.name} is written again; lines that were lost: ${this.#lost}`);
    this.#hasFailed = false;
    this.#lost = 0;
  }
}
