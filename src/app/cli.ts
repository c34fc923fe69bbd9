import { parseArgs } from 'node:util';
import { type CommandOptions } from './command-options.js';
import { HELP } from './cli-help.js';
import { version } from '../config/version.js';

/** Exit codes: all is well; something is wrong; the command itself was not understood. */
const OK = 0;
const MISUSED = 2;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  json: { type: 'boolean' },
  profile: { type: 'string' },
  username: { type: 'string' },
  id: { type: 'string' },
} as const;

interface Command {
  /** Options besides `--help` and `--version`. */
  readonly options: readonly (keyof CommandOptions)[];
  /** Loaded only when it runs: help and keys need none of the service's packages. Returns the exit code. */
  readonly load: () => Promise<(options: CommandOptions) => Promise<number> | number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  start: { options: [], load: async () => (await import('./cli-start.js')).start },
  check: { options: ['json'], load: async () => (await import('./cli-check.js')).check },
  doctor: {
    options: ['json', 'profile', 'username'],
    load: async () => (await import('./doctor.js')).runDoctor,
  },
  key: { options: ['id'], load: async () => (await import('./cli-keys.js')).key },
  'profile-key': { options: [], load: async () => (await import('./cli-keys.js')).profileKey },
};

/** Runs one command and returns its exit code. A command that is not understood starts nothing. */
export async function run(args: readonly string[]): Promise<number> {
  const parsed = parse(args);
  if (typeof parsed === 'string') return misused(parsed);
  const { help, version: showsVersion, ...options } = parsed.values;
  if (help === true) return print(HELP);
  if (showsVersion === true) return print(`${version()}\n`);
  const [name = '', ...others] = parsed.positionals;
  if (!Object.hasOwn(COMMANDS, name))
    return misused(name === '' ? 'a command is missing' : `there is no command ${name}`);
  if (others.length > 0) return misused(`${name} takes no arguments`);
  const command = COMMANDS[name];
  const unknown = Object.keys(options).find((option) => !command?.options.some((known) => known === option));
  if (command === undefined || unknown !== undefined)
    return misused(`${name} has no option --${unknown ?? ''}`);
  const execute = await command.load();
  return execute(options);
}

function parse(args: readonly string[]): ReturnType<typeof parsed> | string {
  try {
    return parsed(args);
  } catch (error) {
    // Node's message names the option, and after a period suggests something that does not apply here.
    return error instanceof Error ? (error.message.split('. ')[0] ?? '') : '';
  }
}

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function misused(problem: string): number {
  process.stderr.write(`portico: ${problem}\n\n${HELP}`);
  return MISUSED;
}

function print(text: string): number {
  process.stdout.write(text);
  return OK;
}
