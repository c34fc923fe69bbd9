import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeFolder } from '../config/own-path.js';
import { type AuditSink } from './audit-sink.js';

/** The most that waits for space on the disk; more is lost, and counted. */
const MOST_WAITING_BYTES = 1024 * 1024;
const RETRY_MS = 1000;
const OWNER_ONLY = 0o600;
/** The umask decides: a log collector must be able to enter the folder. */
const ANY_FOLDER = 0o777;

/**
 * A file that lines are appended to, created with access for its owner only. A full disk neither fails nor delays a request: up
 * to a megabyte of lines wait for space, and writing is tried again every second.
 */
export class FileSink implements AuditSink {
  readonly #path: string;
  readonly #report: (message: string) => void;
  readonly #closing = new AbortController();
  #file: FileHandle;
  /** The first may be the rest of a line. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #isStale = false;
  #hasFailed = false;
  #draining: Promise<void> | undefined;

  /**
   * @param report called once when lines cannot be written, and once when they can again.
   * @throws Error of the file system when the file cannot be opened.
   */
  static async open(path: string, report: (message: string) => void): Promise<FileSink> {
    makeFolder(dirname(path), ANY_FOLDER);
    return new FileSink(path, await openToAppend(path), report);
  }

  private constructor(path: string, file: FileHandle, report: (message: string) => void) {
    this.#path = path;
    this.#file = file;
    this.#report = report;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > MOST_WAITING_BYTES) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#draining ??= this.#drain();
  }

  reopen(): void {
    this.#isStale = true;
    this.#draining ??= this.#drain();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#draining;
    await this.#file.close();
  }

  /** One at a time, so that lines keep their order and the file changes only between two writes. */
  async #drain(): Promise<void> {
    while (this.#isStale || this.#waitingBytes > 0) {
      try {
        if (this.#isStale) await this.#takeNewFile();
        await this.#writeOnce();
        this.#recovered();
      } catch (error) {
        this.#failed(error);
        if (this.#closing.signal.aborted) break;
        await pause(RETRY_MS, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
      }
    }
    this.#draining = undefined;
  }

  async #takeNewFile(): Promise<void> {
    const fresh = await openToAppend(this.#path);
    const old = this.#file;
    this.#file = fresh;
    this.#isStale = false;
    await old.close();
  }

  async #writeOnce(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    if (bytes.length === 0) return;
    this.#waiting = [bytes];
    const { bytesWritten } = await this.#file.write(bytes);
    this.#waiting[0] = bytes.subarray(bytesWritten);
    this.#waitingBytes -= bytesWritten;
  }

  #failed(error: unknown): void {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (!this.#hasFailed) {
      this.#report(`The audit log cannot be written (${code}): up to a megabyte of it waits until it can`);
    }
    this.#hasFailed = true;
  }

  #recovered(): void {
    if (!this.#hasFailed) return;
    this.#report(`The audit log is written again; lines that were lost: ${this.#lost}`);
    this.#hasFailed = false;
    this.#lost = 0;
  }
}

function openToAppend(path: string): Promise<FileHandle> {
  return open(path, 'a', OWNER_ONLY);
}
