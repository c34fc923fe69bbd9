import { closeSync, existsSync, fchmodSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** The store's files cannot be kept at that path. The message is one line for the operator. */
export class StorePathError extends Error {
  override readonly name = 'StorePathError';

  constructor(path: string, code: string) {
    super(`SESSION_STORE_PATH cannot be used: ${path}: ${REASONS[code] ?? code}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
};

/**
 * Creates a file and its folders with access for their owner only, whatever the umask. An existing file is left as it is.
 * Files that SQLite creates next to it get the same rights.
 *
 * @param content what a new file holds.
 * @throws StorePathError
 */
export function makeOwnFile(path: string, content = ''): void {
  try {
    makeFolder(dirname(path));
    const file = openSync(path, 'wx', OWNER_FILE);
    try {
      fchmodSync(file, OWNER_FILE);
      writeSync(file, content);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StorePathError(path, code);
    if (statSync(path).isDirectory()) throw new StorePathError(path, 'EISDIR');
  }
}

/** One by one, because Node's recursive `mkdir` never returns in a place such as /proc, where no folder can be created. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, OWNER_FOLDER);
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
