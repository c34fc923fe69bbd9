import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EnvFileError, type Environment, readEnvironment } from '../config/environment.js';
import { nearMisses } from '../config/near-misses.js';
import { checkSettings } from '../config/parse-settings.js';
import { type Settings } from '../config/settings.js';
import { platformClient } from '../platform/platform-client.factory.js';
import { probePlatform } from '../platform/probe.js';
import { FILE_IN_USE } from '../session/store/store-database.js';
import { backendFile } from '../session/store/backend-file.js';
import { type Finding, report } from './finding.js';
import { type DoctorLogin, lookAtLogin } from './look-at-login.js';
import { lookAtStart, runningInstance } from './look-at-start.js';
import { lookAtCertificate, lookAtPlatform } from './look-at-platform.js';
import { problemsInFiles } from './problems-in-files.js';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TelemetrySettings } from '../config/telemetry-settings.js';
import { collectors } from '../telemetry/open-telemetry.js';

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

/** The command `check`: checks settings, files, store and start, and leaves nothing behind. */
export async function runCheck({ json }: Pick<DoctorOptions, 'json'>): Promise<number> {
  return report(await examineService(await readInstallation()), json);
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
  installation: Installation,
  login: DoctorLogin | undefined,
): Promise<Finding[]> {
  const { settings, environment } = installation;
  const service = await examineService(installation);
  if (settings === undefined) return service;
  return [...service, ...(await examinePlatform(settings, environment, login))];
}

/** Looks at settings and store, and whether the service would start. */
async function examineService({ settings, environment, findings }: Installation): Promise<Finding[]> {
  if (settings === undefined) return [...findings];
  const instance = await runningInstance(settings);
  return [
    ...findings,
    ...(await lookAtStore(settings, instance)),
    ...(await lookAtCollectors(settings)),
    ...(await lookAtStart(settings, environment, instance)),
  ];
}

/**
 * Tries the store out, which leaves nothing behind.
 *
 * @param instance an instance that runs here: a file that is in use is its own then.
 */
async function lookAtStore(settings: Settings, instance: string | undefined): Promise<Finding[]> {
  const kind = settings.SESSION_STORE;
  const { tryOut, fix } = await backendFile(kind);
  try {
    const { product, evictionPolicy } = await tryOut(settings);
    const found = `${kind} can be written (${product})`;
    return [{ what: STORE, state: 'right', found }, ...eviction(evictionPolicy)];
  } catch (error) {
    const found = error instanceof Error ? error.message : 'it cannot be opened';
    if (instance !== undefined && found.includes(FILE_IN_USE)) {
      const inUse = `its file is in use by the instance that is ready at ${instance}`;
      return [{ what: STORE, state: 'skipped', found: inUse }];
    }
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

const CONNECT_MS = 3000;

/** Whether something listens at the address of each OpenTelemetry collector. Nothing is sent. */
async function lookAtCollectors(settings: TelemetrySettings): Promise<Finding[]> {
  return Promise.all(
    collectors(settings).map(async ({ setting, url }): Promise<Finding> => {
      const { origin } = new URL(url);
      const fault = await connectFault(url);
      if (fault === undefined)
        return { what: 'collector', state: 'right', found: `something listens at ${origin}` };
      const found = `nothing answers at ${origin} (${fault}): the service starts, and its exports are lost`;
      return { what: 'collector', state: 'warning', found, fix: `${setting}: check host and port` };
    }),
  );
}

async function connectFault(url: string): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return undefined;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return typeof code === 'string' && code !== 'ABORT_ERR' ? code : 'no answer in time';
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
