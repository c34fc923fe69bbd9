import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ask, type Headers } from '../../bench/load/ask.ts';
import { SERVER_CORE } from '../../bench/machine/cores.ts';
import { freePort } from '../../bench/machine/free-port.ts';
import { type RunningProcess, startProcess } from '../../bench/machine/start-process.ts';
import { type Call, type CallFigures, callsOfRequest, countCalls } from './calls.ts';

const COUNTER = new URL('call-counter.ts', import.meta.url).href;
const LIBRARY = 'packages/portico';

const PROJECTS = '{ projects { id name } }';
const DEMO = 'mutation { login(input: {username: "demo", password: "demo", transport: BEARER}) { handle } }';
const GUEST = 'mutation { login(input: {transport: BEARER}) { handle } }';

const START_LIMIT_MS = 60_000;
const WARM_UPS = 3;
const WINDOWS = 15;
/** V8's report blocks the event loop, which the service takes for load: it must settle before the next request. */
const RECOVERY_MS = 30;
/** The same with a request and without, so that as many timers run. Long enough for what follows an answer, too. */
const WINDOW_MS = 150;

/** What a request runs of our own code. */
export interface RequestFigures {
  readonly login: CallFigures;
  /** `{ projects { id name } }` of the guest, who has three projects, and of the demo user, who has twelve. */
  readonly threeProjects: CallFigures;
  readonly twelveProjects: CallFigures;
}

interface EmbeddedPlatform {
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts the compiled service of a checkout, in production and on an embedded platform that runs in this process, and
 * counts what a warm request calls.
 */
export async function measureRequests(checkout: string): Promise<RequestFigures> {
  const stage = layStage(checkout);
  const platform = await startPlatform(checkout);
  try {
    const service = await startService(stage, platform.baseUrl);
    try {
      return await measure(service, (url) => sourceOf(url, stage, checkout));
    } finally {
      await service.process.stop();
    }
  } finally {
    await platform.close();
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The checkout as links, with a copy of its compiled files that has no bundle: a bundle would be what runs. */
function layStage(checkout: string): string {
  const dist = join(checkout, 'dist');
  if (!existsSync(join(dist, 'main.js'))) throw new Error(`${dist} has no main.js: run npm run build there`);
  const stage = realpathSync(mkdtempSync(join(tmpdir(), 'portico-house-')));
  for (const name of readdirSync(checkout)) {
    if (name !== 'dist' && name !== 'data') symlinkSync(join(checkout, name), join(stage, name));
  }
  const bundle = join(dist, 'bundle');
  cpSync(dist, join(stage, 'dist'), { recursive: true, filter: (path) => path !== bundle });
  return stage;
}

async function startPlatform(checkout: string): Promise<EmbeddedPlatform> {
  const entry = ['.', LIBRARY]
    .map((folder) => join(checkout, folder, 'dist/embedded-platform/index.js'))
    .find((path) => existsSync(path));
  if (entry === undefined) throw new Error(`${checkout} has no compiled embedded platform`);
  const { startEmbeddedPlatform } = (await import(pathToFileURL(entry).href)) as {
    startEmbeddedPlatform: () => Promise<EmbeddedPlatform>;
  };
  return startEmbeddedPlatform();
}

interface Service {
  readonly process: RunningProcess;
  readonly port: number;
}

async function startService(stage: string, platform: string): Promise<Service> {
  const port = await freePort();
  const running = startProcess({
    core: SERVER_CORE,
    args: ['--import', COUNTER, join(stage, 'dist/main.js')],
    cwd: stage,
    ipc: true,
    env: {
      NODE_ENV: 'production',
      PORT: `${port}`,
      PLATFORM_BASE_URL: platform,
      SESSION_KEYS: `house:${randomBytes(32).toString('base64')}`,
      SESSION_STORE_PATH: join(stage, 'data/sessions.db'),
    },
  });
  while (running.child.exitCode === null && performance.now() - running.began < START_LIMIT_MS) {
    const answer = await ask(port, '/graphql', { query: '{ __typename }' }).catch(() => undefined);
    if (answer?.status === 200) return { process: running, port };
    await sleep(50);
  }
  await running.stop();
  throw new Error(`The service did not start. ${running.complaint()}`);
}

async function measure(
  { process: { child }, port }: Service,
  source: (url: string) => string | undefined,
): Promise<RequestFigures> {
  const callsSince = async (): Promise<Call[]> => {
    const reply = once(child, 'message');
    child.send('calls');
    return ((await reply) as [Call[]])[0];
  };
  const windowsWith = async (act: () => Promise<unknown>): Promise<Call[][]> => {
    const windows: Call[][] = [];
    for (let count = 0; count < WARM_UPS + WINDOWS; count++) {
      await callsSince();
      await Promise.all([sleep(WINDOW_MS), sleep(RECOVERY_MS).then(act)]);
      windows.push(await callsSince());
    }
    return windows.slice(WARM_UPS);
  };
  const idle = await windowsWith(() => Promise.resolve());
  const figures = async (act: () => Promise<unknown>): Promise<CallFigures> =>
    countCalls(callsOfRequest(await windowsWith(act), idle), source);
  const [guest, demo] = [await logIn(port, GUEST), await logIn(port, DEMO)];
  return {
    login: await figures(() => logIn(port, DEMO)),
    threeProjects: await figures(() => readProjects(port, guest, 3)),
    twelveProjects: await figures(() => readProjects(port, demo, 12)),
  };
}

async function logIn(port: number, query: string): Promise<Headers> {
  const { body } = await ask(port, '/graphql', { query });
  const { handle } = /"handle":"(?<handle>[^"]+)"/.exec(body)?.groups ?? {};
  if (handle === undefined) throw new Error(`The login failed: ${body.slice(0, 200)}`);
  return { authorization: `Bearer ${handle}` };
}

async function readProjects(port: number, headers: Headers, expected: number): Promise<void> {
  const { body } = await ask(port, '/graphql', { query: PROJECTS }, headers);
  const found = body.split('"id":').length - 1;
  if (found !== expected) throw new Error(`${found} projects instead of ${expected}: ${body.slice(0, 200)}`);
}

/** The source from which a file was compiled, by its path; undefined for what is not ours. */
function sourceOf(url: string, stage: string, checkout: string): string | undefined {
  const path = fileURLToPath(url);
  for (const [dist, folder] of [
    [join(stage, 'dist'), 'src'],
    [join(realpathSync(checkout), LIBRARY, 'dist'), `${LIBRARY}/src`],
  ] as const) {
    if (!path.startsWith(dist + sep)) continue;
    const source = join(folder, relative(dist, path)).replace(/\.js$/, '.ts');
    if (!existsSync(join(checkout, source))) throw new Error(`${path} has no source ${source}: build again`);
    return source.replaceAll('\\', '/');
  }
  return undefined;
}
