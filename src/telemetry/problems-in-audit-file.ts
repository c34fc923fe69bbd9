import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathReason } from '../config/own-path.js';

/**
 * What keeps the file of the audit log from being written; empty if nothing does, or if there is no file. Creates
 * nothing.
 */
export async function problemsInAuditFile({
  AUDIT_LOG: path,
}: {
  readonly AUDIT_LOG: string;
}): Promise<string[]> {
  if (path === 'stdout' || path === 'off') return [];
  const code = await faultOf(path);
  return code === undefined ? [] : [`AUDIT_LOG cannot be used: ${pathReason(code)}`];
}

async function faultOf(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return 'EISDIR';
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? faultOfFolder(dirname(path)) : code;
  }
}

/** Missing folders will be created in the nearest one that exists. */
async function faultOfFolder(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && dirname(path) !== path ? faultOfFolder(dirname(path)) : code;
  }
}
