import { parentPort } from 'node:worker_threads';
import { init, runBaseTests, setupEnvironment } from 'vitest/worker';

type Listen = (message: unknown) => void;

const port = parentPort;
if (port === null) throw new Error('This is the thread of warm-pool.ts');

/** The first listens for runs as long as the thread lives, each further one for answers that one run waits for. */
const listeners: Listen[] = [];

init({
  post: (message) => {
    port.postMessage(message);
  },
  on: (listen: Listen) => {
    listeners.push(listen);
    port.on('message', listen);
  },
  off: (listen: Listen) => {
    port.off('message', listen);
  },
  teardown: () => {
    for (const listen of listeners.splice(1)) port.off('message', listen);
  },
  runTests: (state, traces) => runBaseTests('run', state, traces),
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
  setup: setupEnvironment,
});
