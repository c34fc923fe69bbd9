import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FileFault, SessionFile } from './session-file.js';
import { storeTakesNoWrites } from '../../errors/service-error.js';
import { unavailable } from './store-database.js';
import { type StoreHealth } from './store-health.js';

interface EndedKeys {
  keys(): Iterable<string>;
  clear(): void;
}

/** Begins the checks of a file. Returns what ends them. */
export type BeginChecks = (check: () => void) => () => void;

const CHECK_MS = 2000;

export const everyTwoSeconds: BeginChecks = (check) => {
  const timer = setInterval(check, CHECK_MS).unref();
  return () => {
    clearInterval(timer);
  };
};

/** A write that is not older than this shows that the disk can take another. */
const PROBE_AFTER_MS = 1000;
/** With less space on the disk, each check tries a write. */
const LITTLE_SPACE_BYTES = 64 * 1024;

/** https://www.sqlite.org/rescode.html */
const [FULL, CONSTRAINT, DAMAGED, NOT_A_DATABASE, SHORT_READ] = [13, 19, 11, 26, 522];

const IN_WORDS: Record<FileFault, string> = {
  missing: 'is gone',
  replaced: 'was replaced by another one',
  corrupt: 'is damaged',
};

const SET_ASIDE = {
  journal: 'Beside the file of the session store was the journal of another database',
  newer: 'The file of the session store is of a newer version of Portico, so its sessions cannot be read',
};

/**
 * The file of the embedded store. It is checked after each commit, before anything is confirmed, and every two
 * seconds. If it is gone, replaced or damaged, all sessions that can still be read are written into a new file,
 * which takes its place.
 */
export class DurableFile {
  readonly #path: string;
  readonly #health: StoreHealth;
  readonly #ended: EndedKeys;
  readonly #endChecks: () => void;
  #file: SessionFile;
  /** Those of the file that is open now. Changed here alone. */
  statements!: SessionFile['statements'];
  /** By the monotonic clock. */
  #writtenAt = -Infinity;

  /**
   * @param ended the keys of sessions that the next commit removes
   * @param beginChecks begins the checks between commits
   * @throws ServiceError SESSION_STORE_UNAVAILABLE when another process has the file open, or it is not a session
   *   file.
   * @throws StorePathError when the file cannot be created.
   */
  constructor(path: string, health: StoreHealth, ended: EndedKeys, beginChecks: BeginChecks) {
    this.#path = path;
    this.#health = health;
    this.#ended = ended;
    this.#file = this.#open();
    this.#endChecks = beginChecks(() => {
      this.check();
    });
  }

  /**
   * Resolves with what the work returned, once it is on disk.
   *
   * @param work runs statements and does nothing else, since it may run twice
   */
  async write<T>(key: string, work: () => T): Promise<T> {
    const file = this.#file;
    try {
      return await file.writes.write(key, work);
    } catch (error) {
      if (this.#isRepaired(error) || file !== this.#file) return this.write(key, work);
      throw this.#health.isDegraded ? storeTakesNoWrites(unavailable(error).message) : unavailable(error);
    }
  }

  /** Writes now. A failure changes nothing, and is not reported. */
  tryWrite(work: () => unknown): void {
    try {
      this.#file.writes.writeNow(work);
      this.#file.noteWrite();
    } catch {
      // The next write says what is wrong.
    }
  }

  /** Reads after all that was written before: under one key, or under every key. */
  read<T>(key: string | undefined, work: () => T): Promise<T> {
    try {
      const { writes } = this.#file;
      if (key === undefined || writes.keys.has(key)) writes.flush();
      return Promise.resolve(work());
    } catch (error) {
      return this.#isRepaired(error) ? this.read(key, work) : Promise.reject(unavailable(error));
    }
  }

  /** Resolves when a write was confirmed within the last second. */
  async ping(): Promise<void> {
    const wasWritten = performance.now() - this.#writtenAt < PROBE_AFTER_MS;
    if (wasWritten && this.#file.isOpen && this.#health.fault === undefined) return;
    await this.#probe();
  }

  /** Checks the file, repairs it, and tries a write if the last one failed. */
  check(): void {
    try {
      if (!this.#file.isOpen) this.#file = this.#open();
      const fault = this.#file.check();
      if (fault === 'changed') this.#reportChange();
      else if (fault !== undefined) this.#repair(fault);
    } catch {
      return;
    }
    if (this.#health.fault !== undefined || hasLittleSpace(this.#path)) this.#probe().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#endChecks();
    await this.#file.writes.settle();
    this.#file.close();
  }

  #open(): SessionFile {
    const hooks = {
      begin: () => {
        for (const key of this.#ended.keys()) this.statements.remove.run(key, null);
      },
      committed: () => {
        const fault = this.#file.noteWrite();
        if (fault !== undefined) this.#repair(fault);
        this.#ended.clear();
      },
      confirm: () => {
        this.#writtenAt = performance.now();
        this.#health.recover();
      },
    };
    const file = new SessionFile(this.#path, hooks, (what, path) => {
      this.#health.repaired(
        what === 'journal' ? 'foreign_journal' : 'newer',
        `${SET_ASIDE[what]}: it is kept as ${path}`,
      );
    });
    this.statements = file.statements;
    return file;
  }

  #probe(): Promise<void> {
    return this.write('', () => {
      this.#file.mark();
    });
  }

  /** Whether an error was due to a damaged file that has been repaired. Reports what was wrong. */
  #isRepaired(error: unknown): boolean {
    const { errcode, syscall, message } = error as { errcode?: number; syscall?: string; message: string };
    if (syscall !== undefined) this.#health.fail('failed', message);
    if (errcode === undefined) return false;
    const kind = errcode & 0xff;
    if (kind === CONSTRAINT) return false;
    if (kind !== DAMAGED && kind !== NOT_A_DATABASE && errcode !== SHORT_READ) {
      this.#health.fail(kind === FULL ? 'full' : 'failed', message);
      return false;
    }
    try {
      this.#repair('corrupt');
      return true;
    } catch {
      return false;
    }
  }

  #reportChange(): void {
    this.#health.repaired(
      'changed',
      `Something else wrote to the file of the session store (${this.#path}): it was checked, and is sound`,
    );
  }

  #repair(fault: FileFault): void {
    const what = `its file ${IN_WORDS[fault]} (${this.#path})`;
    try {
      const sessions = this.#file.rebuild(fault);
      this.#file = this.#open();
      this.#health.repaired(
        fault,
        `The session store was repaired: ${what}; ${sessions} sessions are in a new one, and what was there is kept beside it`,
      );
    } catch (error) {
      const failed = unavailable(error);
      this.#health.fail(fault, `${what} and cannot be made again: ${failed.message}`);
      throw failed;
    }
  }
}

function hasLittleSpace(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < LITTLE_SPACE_BYTES;
  } catch {
    return false;
  }
}
