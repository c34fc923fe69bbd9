import { type Settings } from '../config/settings.js';
import { problemsInProfiles } from 'portico/credentials';
import { problemsInDocuments } from '../graphql/limits/problems-in-documents.js';
import { problemsInPlatformFiles } from '../platform/platform-client.factory.js';
import { problemsInKeyFile } from '../session/session-keys.js';
import { problemsInAuditFile } from '../telemetry/problems-in-audit-file.js';

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
