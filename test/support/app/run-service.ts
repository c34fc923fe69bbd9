import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GraphQLCaller, graphQLCaller } from '../graphql/graphql-caller.js';
import { LEDGER_LOG_LEVEL, noteOutput } from '../secrets/secret-ledger.js';

const ROOT = new URL('../../../', import.meta.url);
/** What `npm start` runs, with the options of Node that stand there. */
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  scripts: { start: string };
};
export const START: readonly string[] = scripts.start.replace(/^exec /, '').split(' ');
export const SERVICE_COMMAND: readonly string[] = [
  process.execPath,
  ...START.slice(1, -1),
  fileURLToPath(new URL('dist/main.js', ROOT)),
];
const GRAPHQL_ADDRESS = /(http:\/\/[^\s"]+)\/graphql/;
/** In production there is no start screen. */
const LISTENING = /Server listening at (http:\/\/[^\s"]+)/;

/** The built service as a process of its own. */
export interface RunningService {
  readonly process: ChildProcess;
  readonly url: string;
  readonly graphql: GraphQLCaller;
  /** All that it has written so far, both streams. */
  output(): string;
  /** Sends a signal and waits for the end, and for all that was written unless nobody reads it. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** How a start ended that was meant to fail. */
export interface FailedStart {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const ledgerSettings: Record<string, string> =
  LEDGER_LOG_LEVEL === undefined ? {} : { LOG_LEVEL: LEDGER_LOG_LEVEL };
const living = new Set<ChildProcess>();

/** Ends every process that a test left behind; for `afterEach`, so that a failed test leaves nothing running. */
export async function stopServices(): Promise<void> {
  await Promise.all(
    [...living].map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }),
  );
}

function launch(
  cwd: string,
  environment: Record<string, string>,
  nodeArguments: string[] = [],
  openFiles?: number,
): ChildProcess {
  const [node = '', ...options] = SERVICE_COMMAND;
  const command = [node, ...nodeArguments, ...options];
  const limited =
    openFiles === undefined ? command : ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" "$@"`, ...command];
  const child = spawn(limited[0] ?? '', limited.slice(1), {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: '0', REDIS_TIMEOUT_MS: '10000', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      noteOutput(chunk.toString());
    });
  }
  child.once('exit', () => living.delete(child));
  return child;
}

/**
 * Starts the built service in a folder and waits until it says where it is.
 *
 * @param openFiles how many files it may open (`ulimit -n`)
 */
export async function runService(
  cwd: string,
  environment: Record<string, string> = {},
  nodeArguments: string[] = [],
  openFiles?: number,
): Promise<RunningService> {
  const child = launch(cwd, { ...ledgerSettings, ...environment }, nodeArguments, openFiles);
  const chunks: string[] = [];
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    const address = environment.NODE_ENV === 'production' ? LISTENING : GRAPHQL_ADDRESS;
    let isFound = false;
    const collect = (chunk: Buffer): void => {
      chunks.push(chunk.toString());
      if (isFound) return;
      const found = address.exec(chunks.join(''))?.[1];
      isFound = found !== undefined;
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    void exited.then(([code]) => {
      reject(new Error(`the service ended with ${code}: ${chunks.join('')}`));
    });
  });
  return {
    process: child,
    url,
    graphql: graphQLCaller(`${url}/graphql`),
    output: () => chunks.join(''),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const [code, by] = await exited;
      await Promise.all([child.stdout, child.stderr].map(readToEnd));
      return { code, signal: by };
    },
  };
}

/** What a process wrote last may arrive after the news of its end. */
async function readToEnd(stream: ChildProcess['stdout']): Promise<void> {
  if (stream !== null && !stream.isPaused() && !stream.closed) await once(stream, 'close');
}

/** Starts the built service with settings that keep it from running, and waits for its end. */
export async function failToStart(
  cwd: string,
  environment: Record<string, string>,
  nodeArguments: string[] = [],
): Promise<FailedStart> {
  const child = launch(cwd, environment, nodeArguments);
  const read = async (stream: ChildProcess['stdout']): Promise<string> => {
    let text = '';
    for await (const chunk of stream ?? []) text += String(chunk);
    return text;
  };
  const [stdout, stderr, [code]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
