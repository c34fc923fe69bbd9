import { write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { WaitingLines } from './waiting-lines.js';

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
 * The only way to standard output: for the log, the audit log and the start screen. Two writers would cut each
 * other's lines in two if the reader is slow.
 */
export class StandardOutput {
  readonly #fd: number;
  readonly #waiting: WaitingLines;
  readonly #batches: BatchedLines;

  constructor() {
    // Node makes a pipe non-blocking when this is first read.
    const { fd } = process.stdout;
    this.#fd = fd;
    this.#waiting = new WaitingLines({
      name: 'Standard output',
      mostBytes: MOST_WAITING_BYTES,
      write: async (bytes) => (await writeSome(fd, bytes)).bytesWritten,
      report: (message) => process.stderr.write(`${message}\n`),
    });
    this.#batches = new BatchedLines((lines) => {
      this.#waiting.write(lines);
    });
    process.on('exit', () => {
      this.flushSync();
    });
  }

  /** @param lines ends with a line feed. */
  write(lines: string): void {
    this.#batches.write(lines);
  }

  /** Writes a line without waiting for others, and even if the log is too long already. */
  writeAudit(line: string): void {
    this.#batches.handOn();
    this.#waiting.write(line, AUDIT_RESERVE);
  }

  /** Before the process exits: waits until the reader has everything, at most for three seconds. */
  async close(): Promise<void> {
    this.#batches.handOn();
    await this.#waiting.close(STOP_MS);
  }

  /** Writes what waits before it returns, as far as the reader takes it. pino calls it for a fatal line. */
  flushSync(): void {
    writeAtOnce(this.#fd, Buffer.concat([this.#waiting.take(), Buffer.from(this.#batches.take())]));
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
