import { randomInt } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError, storeUnavailable } from '../../errors/service-error.js';
import { makeOwnFile, StorePathError } from './store-files.js';

/**
 * What a newer version writes into `store_schema` if this one would misunderstand its tables. A change that adds a
 * column with a default, a table or an index needs no new number: all statements name their columns.
 */
const SCHEMA_VERSION = 1;

/**
 * Rows with a number go to the end of the table, so those of one commit share pages. Older files have none; they
 * work as before.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS session (
    key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT NOT NULL,
    idle_until INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS session_idle_until ON session (idle_until);
  CREATE TABLE IF NOT EXISTS session_account (
    key TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS session_account_account ON session_account (account);
  CREATE TRIGGER IF NOT EXISTS session_gone AFTER DELETE ON session BEGIN
    DELETE FROM session_account WHERE key = old.key;
  END;
  CREATE TABLE IF NOT EXISTS store_schema (readable_from INTEGER NOT NULL) STRICT;
  INSERT INTO store_schema SELECT ${SCHEMA_VERSION} WHERE NOT EXISTS (SELECT 1 FROM store_schema);
`;

/** What is wrong with a store whose file another process has. */
export const FILE_IN_USE = 'another process has its file open';

/** https://www.sqlite.org/fileformat2.html: the database header, and the journal's (`-wal`) header and frames. */
const HEADER_BYTES = 100;
const [USER_VERSION_AT, APPLICATION_ID_AT] = [60, 68];
const [JOURNAL_HEADER_BYTES, FRAME_HEADER_BYTES] = [32, 24];
const PAGE_SIZE_AT = 8;
const LEAST_PAGE_BYTES = 512;
const MOST_ID = 2 ** 31 - 1;

/** The file of the embedded store, open for this process alone. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** Marks the journal as that of this file. It has to be in the first commit after the journal was emptied. */
  readonly markJournal: () => void;
}

/** Called with why something that was at the path of the store is kept under another one. */
export type SetAside = (what: 'journal' | 'newer', path: string) => void;

/**
 * Opens the file of the embedded store, and creates it if there is none. The file of a newer version that this one
 * would misunderstand is set aside, so that a rollback serves, if without its sessions. So is a journal beside it
 * that belongs to another database: SQLite would show the pages in it as those of this file.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE when another process has the file open, or it is not a session
 *   file.
 * @throws StorePathError when the file cannot be created.
 */
export function openStoreFile(path: string, setAside: SetAside = () => undefined): OpenDatabase {
  makeOwnFile(path);
  const foundId = withoutForeignJournal(path, setAside);
  // Normal: a commit does not wait for the disk. `GroupCommit` does before it confirms a write, which then survives a
  // crash. `SessionFile` empties the journal, since it has to mark it then.
  const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;';
  const found = opened(path, pragmas);
  const isNewer = readableFrom(found) > SCHEMA_VERSION;
  if (isNewer) setNewerAside(found, path, setAside);
  const database = isNewer ? opened(path, pragmas) : found;
  execute(database, SCHEMA, path);
  const id = isNewer ? undefined : foundId;
  const [userVersion, applicationId] = id ?? [randomInt(1, MOST_ID), randomInt(1, MOST_ID)];
  const markJournal = (): void => {
    database.exec(`PRAGMA user_version = ${userVersion}; PRAGMA application_id = ${applicationId}`);
  };
  // The identity has to be in the file itself before anything else is in its journal.
  if (id === undefined) inFile(database, markJournal);
  return { database, markJournal };
}

/** A full disk must not keep an older file from being read. */
function inFile(database: DatabaseSync, write: () => void): void {
  try {
    write();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The file is without identity until it is opened again.
  }
}

/** The oldest version of the schema that understands the file. */
function readableFrom(database: DatabaseSync): number {
  try {
    const row = database.prepare('SELECT max(readable_from) AS version FROM store_schema').get();
    return Number(row?.version ?? 0);
  } catch {
    // Files of earlier versions have no such table. If something else is wrong, the next statement says so.
    return 0;
  }
}

function setNewerAside(database: DatabaseSync, path: string, setAside: SetAside): void {
  database.close();
  const aside = `${path}.newer-${Date.now()}`;
  for (const end of ['', '-wal']) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  }
  setAside('newer', aside);
}

/** Sets aside a journal of another database. The identity of the file. */
function withoutForeignJournal(path: string, setAside: SetAside): readonly [number, number] | undefined {
  try {
    const id = idOf(headOf(path, HEADER_BYTES));
    if (!hasForeignJournal(path, id)) return id;
    const journal = `${path}-wal.foreign-${Date.now()}`;
    renameSync(`${path}-wal`, journal);
    setAside('journal', journal);
    return id;
  } catch (error) {
    throw unavailable(error, path);
  }
}

/**
 * The random identity of a file, from its first page; undefined for one that has none: a new one, or one of an
 * earlier version.
 */
function idOf(page: Buffer): readonly [number, number] | undefined {
  if (page.length < HEADER_BYTES) return undefined;
  const id = [page.readUInt32BE(USER_VERSION_AT), page.readUInt32BE(APPLICATION_ID_AT)] as const;
  return id.includes(0) ? undefined : id;
}

/** The first commit in a journal of ours holds the first page, with the identity of the file. */
function hasForeignJournal(path: string, id: readonly [number, number] | undefined): boolean {
  if (!existsSync(`${path}-wal`)) return false;
  const journal = headOf(`${path}-wal`, 1024 * 1024);
  if (journal.length <= JOURNAL_HEADER_BYTES) return false;
  // A file without an identity is of an earlier version, unless it is empty: then nothing of it can be in a journal.
  if (id === undefined) return lstatSync(path).size === 0;
  const pageSize = journal.readUInt32BE(PAGE_SIZE_AT);
  // SQLite ignores what is no journal.
  if (pageSize < LEAST_PAGE_BYTES) return false;
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  for (let at = JOURNAL_HEADER_BYTES; at + frameBytes <= journal.length; at += frameBytes) {
    const [pageNumber, pagesAfterCommit] = [journal.readUInt32BE(at), journal.readUInt32BE(at + 4)];
    if (pageNumber === 1) {
      const found = idOf(journal.subarray(at + FRAME_HEADER_BYTES, at + frameBytes));
      return found?.[0] !== id[0] || found[1] !== id[1];
    }
    if (pagesAfterCommit > 0) return true;
  }
  return false;
}

function headOf(path: string, bytes: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(file, head, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * Tries whether the file can be opened and written, and leaves everything as it was. If there is no file, one is
 * tried out in a new folder of the nearest folder that is there, as the service would create it there.
 *
 * @throws as `openStoreFile`
 */
export function tryStoreFile(path: string): void {
  if (isThere(path)) opened(path, `BEGIN IMMEDIATE; ${SCHEMA} ROLLBACK;`).close();
  else
    inScratchFolder(path, (file) => {
      openStoreFile(file).database.close();
    });
}

function inScratchFolder(path: string, work: (file: string) => void): void {
  const scratch = makeScratchFolder(path);
  try {
    work(join(scratch, basename(path)));
  } catch (error) {
    // The reason holds for the path of the setting; the operator does not know the other one.
    if (error instanceof Error) error.message = error.message.replaceAll(scratch, dirname(path));
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function makeScratchFolder(path: string): string {
  let folder = dirname(path);
  while (!isThere(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    return mkdtempSync(join(folder, '.portico-check-'));
  } catch (error) {
    throw new StorePathError(path, (error as NodeJS.ErrnoException).code);
  }
}

/** Whether something has this path, be it a link to nowhere. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function opened(path: string, statements: string): DatabaseSync {
  makeOwnFile(path);
  requireAccess(path);
  try {
    // SQLite has meanings of its own for `:memory:` and `file:…`; an absolute path is always a file.
    const database = new DatabaseSync(resolve(path), { timeout: 0 });
    // A second process fails immediately.
    return execute(database, `PRAGMA locking_mode = EXCLUSIVE; ${statements}`, path);
  } catch (error) {
    throw unavailable(error, path);
  }
}

function execute(database: DatabaseSync, statements: string, path: string): DatabaseSync {
  try {
    database.exec(statements);
    return database;
  } catch (error) {
    throw unavailable(error, path);
  }
}

/** SQLite calls the file of another user an I/O error of the disk. */
function requireAccess(path: string): void {
  for (const file of [path, `${path}-wal`].filter((each) => existsSync(each))) {
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch (error) {
      throw new StorePathError(file, (error as NodeJS.ErrnoException).code);
    }
  }
}

/** What SQLite threw, as the error of a store. */
export function unavailable(error: unknown, path?: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const { message: text = 'unknown error' } = error as Partial<Error>;
  const reason =
    text.includes('locked') && path !== undefined
      ? `${FILE_IN_USE}: stop it, give each process its own SESSION_STORE_PATH, or keep all sessions in Redis (SESSION_STORE=redis)`
      : text;
  return storeUnavailable(path === undefined ? reason : `${reason} (${path})`);
}
