import { problemsInAuditFile } from '../telemetry/problems-in-audit-file.js';
import { type Settings } from '../config/settings.js';
import { problemsInProfiles } from 'portico/credentials';
import { problemsInDocuments } from '../graphql/limits/problems-in-documents.js';
import { problemsInPlatformFiles } from '../platform/platform-client.factory.js';
import { problemsInKeyFile } from '../session/problems-in-key-file.js';

/** The problems of the files that settings name. Each starts with its setting and quotes no content. */
export async function problemsInFiles(settings: Settings): Promise<string[]> {
  const problems = await Promise.all([
    problemsInPlatformFiles(settings),
    problemsInProfiles(settings),
    problemsInDocuments(settings),
    problemsInAuditFile(settings),
  ]);
  return [...problems.flat(), ...problemsInKeyFile(settings)];
}
