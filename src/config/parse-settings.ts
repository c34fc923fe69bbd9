import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { type Environment } from './environment.js';
import { secretSettings, settingDescriptions } from './setting.js';
import { Settings } from './settings.js';
import { LOWER_CASE_TOO } from './platform-settings.js';
import { readFileSync } from 'node:fs';

/** Lists every setting that cannot be used and what it must be, but never its value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    super(`These settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** All settings of an environment, usable or not. */
export interface CheckedSettings {
  readonly settings: Settings;
  /** The problems, each starting with the name of its setting; empty if the settings can be used. */
  readonly problems: readonly string[];
}

/**
 * Takes all settings from an environment and checks them together. An empty value counts as not set.
 *
 * @param values of settings that a program gives, with their own types; they count, not the environment.
 */
export function checkSettings(
  given: Environment,
  values: Readonly<Record<string, unknown>> = {},
): CheckedSettings {
  const { environment, fromFiles, problems: fileProblems } = withSecretFiles(given);
  const present = settingDescriptions()
    .map(({ name }) => [name, valueOf(environment, name)] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  const plain = { ...Object.fromEntries(present), ...values };
  const settings = plainToInstance(Settings, plain);
  const problems = [...fileProblems];
  for (const error of validateSync(settings)) {
    const problem = problemOf(error);
    const isFile = fromFiles.has(error.property);
    // A file that cannot be read leaves its setting empty, which has been reported.
    if (!isFile) problems.push(problem);
    else if (environment[error.property] !== '')
      problems.push(problem.replace(/\w+/, '$&_FILE: the content'));
  }
  // Node's own switch would override PLATFORM_TLS_VERIFY and turn off the checks of Redis and secret store
  // connections.
  if (
    environment.NODE_TLS_REJECT_UNAUTHORIZED === '0' &&
    settings.production &&
    !settings.ALLOW_INSECURE_TLS
  ) {
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED may be 0 in production only together with ALLOW_INSECURE_TLS=true',
    );
  }
  return { settings, problems };
}

function valueOf(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === undefined && LOWER_CASE_TOO.includes(name) ? environment[name.toLowerCase()] : value;
}

/** @throws SettingsError that names every setting that cannot be used */
export function parseSettings(environment: Environment): Settings {
  const { settings, problems } = checkSettings(environment);
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

function problemOf({ property, constraints = {} }: ValidationError): string {
  return Object.values(constraints).at(-1) ?? `${property} cannot be used`;
}

/** The environment with the content of secret files, and what is wrong with those files. */
export interface WithSecrets {
  readonly environment: Environment;
  /** The secret settings that came from a file. */
  readonly fromFiles: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/**
 * Takes each secret setting that is given as `NAME_FILE` from that file, as container platforms mount them. White
 * space around the content, such as a final line break, does not count.
 */
export function withSecretFiles(given: Environment): WithSecrets {
  const environment = { ...given };
  const fromFiles = new Set<string>();
  const problems: string[] = [];
  for (const name of secretSettings()) {
    const path = given[`${name}_FILE`];
    if (path === undefined || path === '') continue;
    const content = readSecret(path);
    if (given[name] !== undefined && given[name] !== '') {
      problems.push(`${name} and ${name}_FILE are both set: keep one of them`);
    } else if (content === undefined) {
      problems.push(`${name}_FILE must be the path of a readable file that is not empty`);
    }
    // A problem with the file is reported once, and not again as a missing required setting.
    fromFiles.add(name);
    environment[name] ??= '';
    if (content !== undefined) environment[name] = content;
  }
  return { environment, fromFiles, problems };
}

function readSecret(path: string): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').trim();
    return content === '' ? undefined : content;
  } catch {
    return undefined;
  }
}
