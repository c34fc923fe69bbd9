import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { unknownName } from '../errors/unknown-name.js';
import { isRecord, object } from './providers/rules.js';
import { type CredentialProfile, isOneLogin, PROFILE_RULES } from './credential-profile.js';
import { look } from './watch-text.js';

/** Letters, digits, dots, dashes and underscores: a profile's name is shown in logs and metrics. */
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Loaded when there is a file to read: few who import the providers have one. */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml;

export type ProfilesByName = ReadonlyMap<string, CredentialProfile>;

/**
 * Reads the text of a file of credential profiles.
 *
 * @param file - the file's path, for the error
 * @throws CredentialProfilesError with every problem found
 */
export function parseProfiles(file: string, text: string): ProfilesByName {
  const problems: string[] = [];
  const profiles = Object.entries(writtenProfiles(file, text));
  for (const [name, written] of profiles) {
    const named = PROFILE_NAME.test(name);
    const path = named ? `profiles.${name}` : `profiles[${JSON.stringify(name)}]`;
    if (!named) problems.push(`${path}: a name may have only letters, digits, dots, dashes and underscores`);
    problems.push(...problemsOf(path, written));
  }
  if (problems.length > 0) throw new CredentialProfilesError(file, problems);
  return new Map(profiles as [string, CredentialProfile][]);
}

function writtenProfiles(file: string, text: string): Record<string, unknown> {
  const root = parseYaml(file, text);
  if (!isRecord(root)) throw new CredentialProfilesError(file, ['profiles: is missing']);
  const { profiles, ...others } = root;
  const problems = Object.keys(others).map((name) => `${name}: ${unknownName(name, ['profiles'])}`);
  if (!isRecord(profiles)) problems.push('profiles: must be an object of profiles by name');
  else if (problems.length === 0) return profiles;
  throw new CredentialProfilesError(file, problems);
}

function parseYaml(file: string, text: string): unknown {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    // A parser's message quotes the text, which may be a secret in the wrong place; its code does not.
    const problems = faults.map(({ code, pos }) => `line ${lines.linePos(pos[0]).line}: ${code}`);
    throw new CredentialProfilesError(file, problems);
  }
  try {
    return document.toJS();
  } catch {
    throw new CredentialProfilesError(file, ['an alias cannot be resolved']);
  }
}

function problemsOf(path: string, written: unknown): string[] {
  const problems = object(PROFILE_RULES)(written, {}).map(
    (problem) => `${[path, ...problem.path].join('.')}: ${problem.message}`,
  );
  if (isRecord(written) && !isOneLogin(written)) {
    problems.push(`${path}: needs either apiKey, or username, with password if the user has one`);
  }
  return problems;
}

/**
 * A file of credential profiles cannot be used. Names every fault by its path, and no value.
 * @example
 * const isUnusable = (error: unknown): boolean => error instanceof CredentialProfilesError;
 */
export class CredentialProfilesError extends Error {
  override readonly name = 'CredentialProfilesError';

  /**
   * @param file its path
   * @param problems each `path: what is wrong`
   */
  constructor(
    readonly file: string,
    readonly problems: readonly string[],
  ) {
    super([`${file} is not a valid file of credential profiles:`, ...problems].join('\n  '));
  }
}

/**
 * The problems of the file of credential profiles, each with its path in the file; empty if no file is set or
 * readable.
 *
 * For the service, which reports them with its settings. Never rejects because of what is in the file.
 * @param environment with the path of the file as `CREDENTIALS_FILE`, if there is one
 * @example
 * console.log(await problemsInProfiles({})); // []
 */
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
