import { init, runBaseTests, setupEnvironment } from 'vitest/worker';

type Listen = (message: unknown) => void;

// Specs may replace them.
const exit = process.exit.bind(process);
const send = process.send?.bind(process);
if (send === undefined) throw new Error('This is the process of warm-pool.ts');

process.on('disconnect', () => exit());

/** What a spec that fails may not put back. */
const { env } = process;
const variables = { ...env };
const folder = process.cwd();

/** The first listens for runs as long as the process lives, each further one for answers that one run waits for. */
const listeners: Listen[] = [];

init({
  post: (message) => send(message),
  on: (listen: Listen) => {
    listeners.push(listen);
    process.on('message', listen);
  },
  off: (listen: Listen) => process.off('message', listen),
  teardown: () => {
    for (const listen of listeners.splice(1)) process.off('message', listen);
    process.exit = exit;
    process.chdir(folder);
    process.env = env;
    for (const name of Object.keys(env)) if (!(name in variables)) Reflect.deleteProperty(env, name);
    Object.assign(env, variables);
  },
  runTests: (state, traces) => runBaseTests('run', state, traces),
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
  setup: setupEnvironment,
});
