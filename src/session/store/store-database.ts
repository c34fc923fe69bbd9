import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeOwnFile, StorePathError } from './store-files.js';
import { ServiceError, storeUnavailable } from '../../errors/service-error.js';

/** Rows with a number go to the end of the table, so those of one commit share pages. Older files have none; they work as before. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS session (
    key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT NOT NULL,
    idle_until INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS session_idle_until ON session (idle_until);
`;

/**
 * Opens the file of the embedded store, and creates it if there is none.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE when another process has the file open, or it is not a session file.
 * @throws StorePathError when the file cannot be created.
 */
export function openStoreFile(path: string): DatabaseSync {
  // Full: a confirmed write survives a crash.
  return opened(path, `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`);
}

/**
 * Tries whether the file can be opened and written, and leaves everything as it was. If there is no file, one is tried out in a new
 * folder of the nearest folder that is there, as the service would create it there.
 *
 * @throws as `openStoreFile`
 */
export function tryStoreFile(path: string): void {
  if (isThere(path)) opened(path, `BEGIN IMMEDIATE; ${SCHEMA} ROLLBACK;`).close();
  else
    inScratchFolder(path, (file) => {
      openStoreFile(file).close();
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
  try {
    const database = new DatabaseSync(path, { timeout: 0 });
    // A second process fails at once.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; ${statements}`);
    return database;
  } catch (error) {
    throw unavailable(error, path);
  }
}

/** What SQLite threw, as the error of a store. */
export function unavailable(error: unknown, path?: string): ServiceError {
  const { message: text = 'unknown error' } = error as Partial<Error>;
  const reason =
    text.includes('locked') && path !== undefined
      ? 'another process has its file open: stop it, give each process its own SESSION_STORE_PATH, or keep all sessions in Redis (SESSION_STORE=redis)'
      : text;
  return storeUnavailable(path === undefined ? reason : `${reason} (${path})`);
}
