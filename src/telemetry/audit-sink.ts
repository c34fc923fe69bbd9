import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../config/own-path.js';
import { standardOutput } from '../logging/standard-output.js';
import { WaitingLines } from '../logging/waiting-lines.js';

/** The most that waits for space on the disk; more is lost, and counted. */
const MOST_WAITING_BYTES = 1024 * 1024;
const OWNER_ONLY = 0o600;
/** The umask decides: a log collector must be able to enter the folder. */
const ANY_FOLDER = 0o777;

/** Where the lines of the audit log go. */
export interface AuditSink {
  /** @param line ends with a line feed. */
  write(line: string): void;
  /** Reopens the file, so that the old one can be removed. */
  reopen(): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

/** Standard output, next to the log. */
export const STDOUT_SINK: AuditSink = {
  write: (line) => {
    standardOutput().writeAudit(line);
  },
  reopen: () => undefined,
  close: () => Promise.resolve(),
};

/** A file that lines are appended to, created with access for its owner only. */
export class FileSink implements AuditSink {
  readonly #path: string;
  readonly #lines: WaitingLines;
  #file: FileHandle;
  #isStale = false;

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
    this.#lines = new WaitingLines({
      name: 'The audit log',
      mostBytes: MOST_WAITING_BYTES,
      write: (bytes) => this.#append(bytes),
      report,
    });
  }

  write(line: string): void {
    this.#lines.write(line);
  }

  reopen(): void {
    this.#isStale = true;
    this.#lines.wake();
  }

  async close(): Promise<void> {
    await this.#lines.close();
    await this.#file.close();
  }

  /** The file changes only between two writes. */
  async #append(bytes: Buffer): Promise<number> {
    if (this.#isStale) await this.#takeNewFile();
    return bytes.length === 0 ? 0 : (await this.#file.write(bytes)).bytesWritten;
  }

  async #takeNewFile(): Promise<void> {
    const fresh = await openToAppend(this.#path);
    const old = this.#file;
    this.#file = fresh;
    this.#isStale = false;
    await old.close();
  }
}

function openToAppend(path: string): Promise<FileHandle> {
  return open(path, 'a', OWNER_ONLY);
}
