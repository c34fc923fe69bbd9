import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { LineCounter, parseDocument } from 'yaml';
import { CredentialProfile, loginProblem } from './credential-profile.js';
import { CredentialProfilesError } from './credential-profiles-error.js';

/** Letters, digits, dots, dashes and underscores: a profile's name is shown in logs and metrics. */
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export type ProfilesByName = ReadonlyMap<string, CredentialProfile>;

/**
 * Reads the text of a file of credential profiles.
 *
 * @param file - the file's path, for the error
 * @throws CredentialProfilesError with every problem found
 */
export function parseProfiles(file: string, text: string): ProfilesByName {
  const problems: string[] = [];
  const profiles = new Map<string, CredentialProfile>();
  for (const [name, written] of Object.entries(writtenProfiles(file, text))) {
    const named = PROFILE_NAME.test(name);
    const path = named ? `profiles.${name}` : `profiles[${JSON.stringify(name)}]`;
    if (!named) problems.push(`${path}: a name has letters, digits, dots, dashes and underscores only`);
    const profile = checkedProfile(path, written, problems);
    if (profile !== undefined) profiles.set(name, profile);
  }
  if (problems.length > 0) throw new CredentialProfilesError(file, problems);
  return profiles;
}

function writtenProfiles(file: string, text: string): Record<string, unknown> {
  const root = parseYaml(file, text);
  if (!isMapping(root)) throw new CredentialProfilesError(file, ['profiles: missing']);
  const { profiles, ...others } = root;
  const problems = Object.keys(others).map((name) => `${name}: unknown name`);
  if (!isMapping(profiles)) problems.push('profiles: not a mapping of names to profiles');
  else if (problems.length === 0) return profiles;
  throw new CredentialProfilesError(file, problems);
}

function parseYaml(file: string, text: string): unknown {
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

function checkedProfile(path: string, written: unknown, problems: string[]): CredentialProfile | undefined {
  if (!isMapping(written)) {
    problems.push(`${path}: not a mapping`);
    return undefined;
  }
  const profile = plainToInstance(CredentialProfile, written);
  const errors = validateSync(profile, { whitelist: true, forbidNonWhitelisted: true });
  problems.push(...errors.flatMap((error) => problemsOf(path, error)));
  const whole = loginProblem(profile);
  if (whole !== undefined) problems.push(`${path}: ${whole}`);
  return profile;
}

function problemsOf(parent: string, { property, constraints, children = [] }: ValidationError): string[] {
  const path = `${parent}.${property}`;
  const [problem] = Object.values(constraints ?? {});
  const own = problem === undefined ? [] : [`${path}: ${problem}`];
  // Without a known store it cannot be said which other names belong there.
  const store = children.filter((child) => child.property === 'store');
  return [...own, ...(store.length > 0 ? store : children).flatMap((child) => problemsOf(path, child))];
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
