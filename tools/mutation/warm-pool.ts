import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type PoolRunnerInitializer, type WorkerRequest } from 'vitest/node';

/** What a changed line leaves waiting is found in this time: the slowest near test takes a quarter of it. */
const PATIENCE_MS = 8_000;

let warm: ChildProcess | undefined;
/** Vitest begins a run before it has ended the one before, and there is one process. */
let endOfLast = Promise.withResolvers<unknown>();
endOfLast.resolve(undefined);

/**
 * Runs specs in a process that stays from one changed line to the next, with all that they have loaded: to load it
 * takes most of the time of a run. Stryker says only when a spec begins which line is changed, so it can stay.
 * With `FRESH=1`, each changed line has a process of its own, to compare.
 */
export const warmPool: PoolRunnerInitializer = {
  name: 'warm',
  createPoolWorker: ({ project, env, execArgv }) => {
    const isChanged = project.getProvidedContext()['mode' as never] === 'mutant';
    const end = Promise.withResolvers<unknown>();
    let child: ChildProcess | undefined;
    let began = performance.now();
    let ended = false;
    return {
      name: 'warm',
      on: (event, listen) => child?.on(event, listen),
      off: (event, listen) => child?.off(event, listen),
      send: (message) => {
        if (message.type === 'run') began = performance.now();
        if (message.type === 'stop') ended = true;
        child?.send(isChanged && message.type === 'start' ? impatient(message) : message);
      },
      deserialize: (message) => message,
      start: async () => {
        const before = endOfLast;
        endOfLast = end;
        await before.promise;
        child = warm ??= startProcess({ env, execArgv });
      },
      stop: () => {
        child?.removeAllListeners('message');
        // A longer run may have left something that still waits.
        const stays = ended && performance.now() - began < PATIENCE_MS && process.env.FRESH !== '1';
        if (!stays) {
          if (warm === child) warm = undefined;
          child?.kill('SIGKILL');
        }
        end.resolve(undefined);
        return Promise.resolve();
      },
    };
  },
};

/** The first run, of the unchanged lines, may take as long as the machine needs. */
function impatient(message: Extract<WorkerRequest, { type: 'start' }>): WorkerRequest {
  const { config } = message.context;
  const times = { testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS };
  return { ...message, context: { ...message.context, config: { ...config, ...times } } };
}

function startProcess(options: Pick<ForkOptions, 'env' | 'execArgv'>): ChildProcess {
  const child = fork(fileURLToPath(new URL('warm-worker.ts', import.meta.url)), {
    ...options,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  // While a spec runs, Vitest listens too. Afterwards, nobody is interested in a process that has ended.
  child.on('error', () => undefined);
  child.once('exit', () => {
    if (warm !== child) return;
    warm = undefined;
    // Vitest does not end a run whose process has ended.
    endOfLast.resolve(undefined);
  });
  return child;
}
