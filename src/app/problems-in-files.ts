import { type Settings } from '../config/settings.js';
import { problemsInProfiles } from 'portico/credentials';
import { problemsInDocuments } from '../graphql/limits/persisted-documents.js';
import { problemsInPlatformFiles } from '../platform/platform-client.factory.js';
import { problemsInKeyFile } from '../session/session-keys.js';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathReason } from '../config/own-path.js';

/**
 * The checks of all files that settings name. Each skips what is not set, and what the checks of the settings report.
 */
const CHECKS: readonly ((settings: Settings) => Promise<readonly string[]>)[] = [
  problemsInPlatformFiles,
  problemsInProfiles,
  problemsInDocuments,
  problemsInAuditFile,
  (settings) => Promise.resolve(problemsInKeyFile(settings)),
];

/** The problems of the files that settings name. Each starts with its setting and quotes no content. */
export async function problemsInFiles(settings: Settings): Promise<string[]> {
  return (await Promise.all(CHECKS.map((check) => check(settings)))).flat();
}

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
