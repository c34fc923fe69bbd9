import {
  closeSync,
  existsSync,
  fdatasync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type CommitHooks, GroupCommit } from './group-commit.js';
import { openStoreFile, type SetAside, tryStoreFile, unavailable } from './store-database.js';
import { type StoreFault } from './store-health.js';

/** A journal of this size is written into the file. */
const MOST_JOURNAL_BYTES = 4 * 1024 * 1024;

const STATEMENTS = {
  create: 'INSERT INTO session (key, version, sealed, idle_until, expires_at) VALUES (?, 1, ?, ?, ?)',
  join: 'INSERT OR REPLACE INTO session_account (key, account) VALUES (?, ?)',
  ofAccount:
    'SELECT key FROM session_account JOIN session USING (key) WHERE account = ? ORDER BY session_account.rowid LIMIT ?',
  list: 'SELECT key, sealed, idle_until, expires_at FROM session WHERE key > ? AND idle_until > ? ORDER BY key LIMIT ?',
  read: 'SELECT version, sealed, idle_until, expires_at FROM session WHERE key = ? AND idle_until > ?2 AND expires_at > ?2',
  touch: 'UPDATE session SET idle_until = ?, expires_at = ? WHERE key = ? AND version = ?',
  replace:
    'UPDATE session SET version = version + 1, sealed = ? WHERE key = ? AND version = ? AND idle_until > ?4 AND expires_at > ?4',
  remove: 'DELETE FROM session WHERE key = ? AND version = coalesce(?, version)',
  shorten:
    'UPDATE session SET idle_until = ?1, expires_at = min(expires_at, ?2) WHERE key IN (SELECT key FROM session WHERE idle_until > ?1 LIMIT ?3)',
  count: 'SELECT count(*) AS live FROM session WHERE idle_until > ?',
  sweep:
    'DELETE FROM session WHERE key IN (SELECT key FROM session WHERE idle_until <= ? ORDER BY idle_until LIMIT ?)',
};

/** What can be wrong with a file on the disk. */
export type FileFault = Extract<StoreFault, 'missing' | 'replaced' | 'corrupt'>;

/** The open file of the embedded store, which notices when it is no longer the one on the disk. */
export class SessionFile {
  readonly path: string;
  readonly writes: GroupCommit;
  readonly statements: Record<keyof typeof STATEMENTS, StatementSync>;
  readonly #database: DatabaseSync;
  readonly #markJournal: () => void;
  /** The journal, to wait for the disk without SQLite, which would keep this thread waiting. */
  readonly #journal: number;
  #isSyncing = false;
  #isJournalMarked = false;
  /** The file and its journal after our last write to each. */
  #seen: { main: Stats; journal: Stats } | undefined;
  #isChecked = false;

  /**
   * @param hooks what else belongs to each commit
   * @throws as `openStoreFile`
   */
  constructor(path: string, { begin, committed, confirm }: CommitHooks, setAside?: SetAside) {
    this.path = path;
    const { database, markJournal } = openStoreFile(path, setAside);
    this.#database = database;
    this.#markJournal = markJournal;
    this.#checkpoint();
    this.#journal = openJournal(database, path);
    this.writes = new GroupCommit(database, {
      begin: () => {
        if (!this.#isJournalMarked) this.mark();
        begin?.();
      },
      ...(committed && { committed }),
      failed: () => {
        this.noteWrite();
      },
      sync: () => this.#sync(),
      ...(confirm && { confirm }),
    });
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]);
    this.statements = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, StatementSync>;
    this.#seen = this.#look();
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** Writes the first page, as part of a commit. */
  mark(): void {
    this.#markJournal();
    this.#isJournalMarked = true;
  }

  /** Notes what a write of this process has left on the disk. What is wrong with it; undefined if it is there. */
  noteWrite(): FileFault | undefined {
    const found = this.#look();
    const fault = this.#compared(found);
    if (fault !== undefined || found === undefined) return fault ?? 'missing';
    this.#seen = { main: this.#seen?.main ?? found.main, journal: found.journal };
    if (found.journal.size >= MOST_JOURNAL_BYTES) {
      this.#checkpoint();
      this.#seen = this.#look();
    }
    return undefined;
  }

  /** Looks whether the file is still there and was written by this process alone. If not, all of it is read. */
  check(): FileFault | 'changed' | undefined {
    const found = this.#look();
    const fault = this.#compared(found);
    if (fault !== undefined || found === undefined) return fault ?? 'missing';
    const { main, journal } = this.#seen ?? found;
    if (this.#isChecked && isSame(main, found.main) && isSame(journal, found.journal)) return undefined;
    const isFirst = !this.#isChecked;
    this.#isChecked = true;
    // It never shrinks by itself, and SQLite takes an empty file for a new one.
    if (found.main.size < main.size) return 'corrupt';
    // What is in the journal replaces what was written over it.
    if (!isFirst) this.#checkpoint();
    this.#seen = this.#look() ?? found;
    if (!this.#isSound()) return 'corrupt';
    return isFirst ? undefined : 'changed';
  }

  /**
   * Writes all sessions that can still be read into a new file, puts it in the place of this one, and closes this
   * one. The files that were there are kept under other names.
   *
   * @returns how many sessions there are
   * @throws ServiceError SESSION_STORE_UNAVAILABLE when another process uses the file that is there now, or no file
   *   can be written
   */
  rebuild(fault: FileFault): number {
    const { path } = this;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.ino !== this.#seen?.main.ino) refuseIfInUse(path);
    const fresh = `${path}.new`;
    for (const end of FILE_ENDS) rmSync(`${fresh}${end}`, { force: true });
    const { database } = openStoreFile(fresh);
    const sessions = copyInto(database, this.#database);
    database.close();
    const aside = `${path}.${fault}-${Date.now()}`;
    for (const end of FILE_ENDS) {
      if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
    }
    this.close();
    renameSync(fresh, path);
    return sessions;
  }

  close(): void {
    if (!this.#database.isOpen) return;
    if (!this.#isSyncing) closeSync(this.#journal);
    try {
      this.#database.close();
    } catch {
      // What is on the disk stays as it is.
    }
  }

  async #sync(): Promise<void> {
    // A file that was closed was written to the disk by that.
    if (!this.isOpen) return;
    this.#isSyncing = true;
    try {
      await promisify(fdatasync)(this.#journal);
    } finally {
      this.#isSyncing = false;
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- changed meanwhile
      if (!this.isOpen) closeSync(this.#journal);
    }
  }

  /** Writes the journal into the file and empties it. */
  #checkpoint(): void {
    this.#isJournalMarked = false;
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // All of it is still in the journal, which grows until there is space in the file.
    }
  }

  #isSound(): boolean {
    try {
      // Otherwise it would read what it has in memory.
      this.#database.exec('PRAGMA shrink_memory');
      return this.#database.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
    } catch {
      return false;
    }
  }

  #look(): { main: Stats; journal: Stats } | undefined {
    const main = statSync(this.path, { throwIfNoEntry: false });
    const journal = statSync(`${this.path}-wal`, { throwIfNoEntry: false });
    return main && journal && { main, journal };
  }

  #compared(found: { main: Stats; journal: Stats } | undefined): FileFault | undefined {
    if (found === undefined) return 'missing';
    if (this.#seen === undefined) return undefined;
    const { main, journal } = this.#seen;
    const isOther =
      main.ino !== found.main.ino || main.dev !== found.main.dev || journal.ino !== found.journal.ino;
    return isOther ? 'replaced' : undefined;
  }
}

/** Without it, no write could be confirmed: then the file is not held either. */
function openJournal(database: DatabaseSync, path: string): number {
  try {
    return openSync(`${path}-wal`, 'r+');
  } catch (error) {
    database.close();
    throw unavailable(error, path);
  }
}

const FILE_ENDS = ['', '-wal', '-shm', '-journal'];

function isSame(one: Stats, other: Stats): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size;
}

/** A file that another process has open is left to it. */
function refuseIfInUse(path: string): void {
  try {
    tryStoreFile(path);
  } catch (error) {
    if (error instanceof Error && error.message.includes('another process')) throw error;
  }
}

function copyInto(fresh: DatabaseSync, old: DatabaseSync): number {
  const insert = fresh.prepare(
    'INSERT OR IGNORE INTO session (key, version, sealed, idle_until, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  let copied = 0;
  fresh.exec('BEGIN');
  for (const row of readableRows(old)) copied += Number(insert.run(...Object.values(row)).changes);
  copyAccounts(fresh, old);
  fresh.exec('COMMIT');
  return copied;
}

/** Without its account, a session is still a session. */
function copyAccounts(fresh: DatabaseSync, old: DatabaseSync): void {
  const insert = fresh.prepare('INSERT OR IGNORE INTO session_account (key, account) VALUES (?, ?)');
  try {
    const rows = old.prepare('SELECT key, account FROM session_account ORDER BY rowid').iterate();
    for (const { key = null, account = null } of rows) insert.run(key, account);
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error;
  }
}

/** A damaged page ends a scan, so what is behind it is read from the other end. Some rows may come twice. */
function* readableRows(old: DatabaseSync): Generator<Record<string, SQLOutputValue>> {
  for (const order of ['', 'ORDER BY rowid DESC']) {
    try {
      yield* old
        .prepare(`SELECT key, version, sealed, idle_until, expires_at FROM session ${order}`)
        .iterate();
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === undefined) throw error;
    }
  }
}
