import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
};

/** Why a path cannot be used for a file of the service, in words for the operator, by the system's error code. */
export function pathReason(code = 'unknown error'): string {
  return REASONS[code] ?? code;
}

/**
 * Creates a folder and those above it. One by one, because Node's recursive `mkdir` never returns in a place such
 * as /proc, where no folder can be created.
 *
 * @param mode the rights of what is created, before the umask.
 * @throws Error of the file system.
 */
export function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
