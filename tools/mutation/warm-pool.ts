import { Worker, type WorkerOptions } from 'node:worker_threads';
import { type PoolRunnerInitializer } from 'vitest/node';

/** What a changed line leaves waiting is found in this time. On an idle machine, no near test takes a tenth of it. */
export const PATIENCE_MS = 20_000;

let warm: Worker | undefined;

/**
 * Runs specs in a thread that stays from one changed line to the next, with all that they have loaded: to load it
 * takes most of the time of a run. Stryker says only when a spec begins which line is changed, so it can stay.
 */
export const warmPool: PoolRunnerInitializer = {
  name: 'warm',
  createPoolWorker: ({ env, execArgv }) => {
    const thread = (warm ??= startThread({ env, execArgv }));
    let began = performance.now();
    let ended = false;
    return {
      name: 'warm',
      on: (event, listen) => thread.on(event, listen),
      off: (event, listen) => thread.off(event, listen),
      send: (message) => {
        if (message.type === 'run') began = performance.now();
        if (message.type === 'stop') ended = true;
        thread.postMessage(message);
      },
      deserialize: (message) => message,
      start: () => Promise.resolve(),
      stop: async () => {
        thread.removeAllListeners('message');
        // A longer run may have left something that still waits.
        if (ended && performance.now() - began < PATIENCE_MS) return;
        if (warm === thread) warm = undefined;
        await thread.terminate();
      },
    };
  },
};

function startThread(options: Pick<WorkerOptions, 'env' | 'execArgv'>): Worker {
  const thread = new Worker(new URL('warm-worker.ts', import.meta.url), {
    ...options,
    stdout: true,
    stderr: true,
  });
  thread.stdout.resume();
  thread.stderr.resume();
  thread.unref();
  thread.once('exit', () => {
    if (warm === thread) warm = undefined;
  });
  return thread;
}
