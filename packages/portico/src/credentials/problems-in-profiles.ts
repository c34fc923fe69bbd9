import { CredentialProfilesError } from './credential-profiles-error.js';
import { parseProfiles } from './parse-profiles.js';
import { look } from './watch-text.js';

/** The problems of the file of credential profiles, each with its path in the file; empty if no file is set or readable. */
export async function problemsInProfiles({
  CREDENTIALS_FILE: file,
}: {
  readonly CREDENTIALS_FILE?: string | undefined;
}): Promise<string[]> {
  if (file === undefined) return [];
  const found = await look(file);
  if ('code' in found) return [];
  try {
    parseProfiles(file, found.text);
    return [];
  } catch (error) {
    if (!(error instanceof CredentialProfilesError)) throw error;
    return error.problems.map((problem) => `CREDENTIALS_FILE: ${problem}`);
  }
}
