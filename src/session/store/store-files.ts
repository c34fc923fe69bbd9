import { closeSync, fchmodSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, pathReason } from '../../config/own-path.js';

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** The store's files cannot be kept at that path. The message is one line for the operator. */
export class StorePathError extends Error {
  override readonly name = 'StorePathError';

  /** @param code of the system, or the reason in words */
  constructor(path: string, code?: string) {
    super(`SESSION_STORE_PATH cannot be used: ${path}: ${pathReason(code)}`);
  }
}

/**
 * Creates a file and its folders with access for their owner only, whatever the umask. An existing file is left as
 * it is. Files that SQLite creates next to it get the same permissions.
 *
 * @param content what a new file holds.
 * @throws StorePathError
 */
export function makeOwnFile(path: string, content = ''): void {
  try {
    makeFolder(dirname(path), OWNER_FOLDER);
    const file = openSync(path, 'wx', OWNER_FILE);
    try {
      fchmodSync(file, OWNER_FILE);
      writeSync(file, content);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StorePathError(path, code);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new StorePathError(path, 'it is a link to a file that does not exist');
    if (found.isDirectory()) throw new StorePathError(path, 'EISDIR');
  }
}
