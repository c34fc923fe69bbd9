import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EnvFileError, type Environment, readEnvironment } from '../config/environment.js';
import { nearMisses } from '../config/near-misses.js';
import { checkSettings } from '../config/parse-settings.js';
import { type Settings } from '../config/settings.js';
import { platformClient } from '../platform/platform-client.factory.js';
import { probePlatform } from '../platform/probe.js';
import { backendFile } from '../session/store/store-backend.js';
import { type Finding, report } from './finding.js';
import { type DoctorLogin, lookAtLogin } from './look-at-login.js';
import { lookAtCertificate, lookAtPlatform } from './look-at-platform.js';
import { problemsInFiles } from './problems-in-files.js';

const STORE = 'session store';

export interface DoctorOptions {
  readonly json?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly username?: string | undefined;
}

/** The settings of this installation, and what is wrong with them. */
export interface Installation {
  /** Undefined if they cannot be used. */
  readonly settings: Settings | undefined;
  readonly environment: Environment;
  readonly findings: readonly Finding[];
}

/** The command `check`: checks settings, files and store, and starts nothing. */
export async function runCheck({ json }: Pick<DoctorOptions, 'json'>): Promise<number> {
  const { settings, findings } = await readInstallation();
  const store: readonly Finding[] = settings === undefined ? [] : await lookAtStore(settings);
  return report([...findings, ...store], json);
}

/** The command `doctor`: looks at everything, and prints what is right, what is wrong and what fixes it. */
export async function runDoctor({ json, profile, username }: DoctorOptions): Promise<number> {
  if (profile !== undefined && username !== undefined) {
    process.stderr.write('portico: give --profile or --username, not both\n');
    return 2;
  }
  const installation = await readInstallation();
  const login =
    profile !== undefined
      ? { profile }
      : username !== undefined
        ? { username, password: await readPassword(`Password of ${username}: `) }
        : undefined;
  return report(await examine(installation, login), json);
}

/** Asks for a password on the terminal without showing it; without a terminal it is the first line of stdin. */
async function readPassword(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  // On stderr, so that stdout holds the findings only.
  if (isTerminal) process.stderr.write(prompt);
  const silent = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}

/** Reads settings and the files that they name, as the service does at start. */
export async function readInstallation(given?: Environment): Promise<Installation> {
  let environment: Environment;
  try {
    environment = given ?? readEnvironment();
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    const findings: Finding[] = [{ what: 'settings', state: 'wrong', found: error.message }];
    return { settings: undefined, environment: {}, findings };
  }
  return inspect(environment);
}

async function inspect(environment: Environment): Promise<Installation> {
  const { settings, problems: own } = checkSettings(environment);
  const problems = [...own, ...(await problemsInFiles(settings))];
  const wrong = problems.map((problem): Finding => ({ what: 'settings', state: 'wrong', found: problem }));
  const warnings = nearMisses(environment).map((found): Finding => ({
    what: 'settings',
    state: 'warning',
    found,
  }));
  const right: Finding = {
    what: 'settings',
    state: 'right',
    found: 'all are valid, and so are the files that they name',
  };
  return {
    settings: problems.length === 0 ? settings : undefined,
    environment,
    findings: [...(wrong.length === 0 ? [right] : wrong), ...warnings],
  };
}

/** Looks at settings, store and platform, in the order in which they depend on each other. */
export async function examine(
  { settings, environment, findings }: Installation,
  login: DoctorLogin | undefined,
): Promise<Finding[]> {
  if (settings === undefined) return [...findings];
  return [
    ...findings,
    ...(await lookAtStore(settings)),
    ...(await examinePlatform(settings, environment, login)),
  ];
}

/** Tries the store out, which leaves nothing behind. */
async function lookAtStore(settings: Settings): Promise<Finding[]> {
  const kind = settings.SESSION_STORE;
  const { tryOut, fix } = await backendFile(kind);
  try {
    const { product, evictionPolicy } = await tryOut(settings);
    const found = `${kind} can be written (${product})`;
    return [{ what: STORE, state: 'right', found }, ...eviction(evictionPolicy)];
  } catch (error) {
    const found = error instanceof Error ? error.message : 'it cannot be opened';
    return [{ what: STORE, state: 'wrong', found, fix }];
  }
}

function eviction(policy: string | undefined): Finding[] {
  if (policy === undefined || policy === 'noeviction') return [];
  const found = `Redis may drop sessions when its memory is full (maxmemory-policy ${policy})`;
  return [{ what: STORE, state: 'warning', found, fix: 'Redis itself: set maxmemory-policy to noeviction' }];
}

async function examinePlatform(
  settings: Settings,
  environment: Installation['environment'],
  login: DoctorLogin | undefined,
): Promise<Finding[]> {
  const { PLATFORM_BASE_URL: baseUrl } = settings;
  if (baseUrl === undefined) {
    const found = 'PLATFORM_BASE_URL is not set: the service runs the embedded platform';
    return [{ what: 'platform', state: 'skipped', found }];
  }
  const clientFor = (url: string): ReturnType<typeof platformClient> => platformClient(settings, url, {});
  const client = clientFor(baseUrl);
  try {
    const result = await probePlatform({ client, settings, clientFor });
    const isThere = result.version !== undefined;
    return [
      ...lookAtPlatform(baseUrl, result),
      ...(await lookAtCertificate(baseUrl, settings)),
      ...(isThere ? await lookAtLogin(client, settings, environment, login) : []),
    ];
  } finally {
    await client.close();
  }
}
