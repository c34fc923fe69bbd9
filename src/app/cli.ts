import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
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
  account: { type: 'string' },
} as const;

type CommandOptions = Omit<ReturnType<typeof parsed>['values'], 'help' | 'version'>;

interface Command {
  /** Options besides `--help` and `--version`. */
  readonly options: readonly (keyof CommandOptions)[];
  /** What follows the name of the command: one of these. By default nothing. */
  readonly actions?: readonly string[];
  /** Returns the exit code. What a command needs is loaded when it runs: keys need none of the service's packages. */
  readonly run: (options: CommandOptions, action: string) => Promise<number> | number;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    options: [],
    run: async () => {
      const { serve } = await import('./serve.js');
      await serve();
      return OK;
    },
  },
  check: {
    options: ['json'],
    run: async (options) => (await import('./doctor.js')).runCheck(options),
  },
  doctor: {
    options: ['json', 'profile', 'username'],
    run: async (options) => (await import('./doctor.js')).runDoctor(options),
  },
  sessions: {
    options: ['account', 'id', 'json'],
    actions: ['list', 'end'],
    run: async (options, action) => (await import('./sessions-command.js')).runSessions(options, action),
  },
  key: { options: ['id'], run: key },
  'profile-key': { options: [], run: profileKey },
};

/** What `portico --help` prints. */
const HELP = `Usage: portico <command> [options]

Commands:
  start         runs the service; the environment and .env configure it
  check         checks all settings, the files that they name, the session store, and whether the service would start
  doctor        the same, and checks the platform: is it there, is it the right one, does a login work
  sessions list lists the open sessions: id, begin, last use, transport, network
  sessions end  ends those of an account, or one
  key           creates a new entry for SESSION_KEYS
  profile-key   creates a new key for a credential profile, and its profileKeySha256

Options:
  --json              check, doctor: prints JSON; sessions: prints a line of JSON for each session
  --profile <name>    doctor: logs in with this profile of CREDENTIALS_FILE
  --username <name>   doctor: logs in as this user; the password is prompted for, or read from stdin
  --account <name>    sessions: those of this user or credential profile
  --id <id>           sessions: the one with this id, as in the audit log; key: the id of the new key
  -h, --help          prints this help
  -v, --version       prints the version

Exit codes: 0 all is well; 1 something is wrong; 2 the command was not understood.
`;

const KEY_BYTES = 32;

/**
 * Runs a command of the service and sets the exit code. An older Node is reported in one line: loading the service
 * there would fail with a message about the first thing that it lacks.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  // Replaces Node's own listener, which would open the inspector, and the inspector runs any code. As early as
  // possible.
  process.on('SIGUSR1', () => undefined);
  const fault = nodeFault();
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
    return;
  }
  process.exitCode = await run(args);
}

function nodeFault(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 13)) return undefined;
  return `Portico needs Node 24.13 or newer; this is ${process.versions.node}. In a checkout, npm start uses the Node that the project installs.`;
}

/** Runs one command and returns its exit code. A command that is not understood starts nothing. */
async function run(args: readonly string[]): Promise<number> {
  const parsed = parse(args);
  if (typeof parsed === 'string') return misused(parsed);
  const { help, version: showsVersion, ...options } = parsed.values;
  if (help === true) return print(HELP);
  if (showsVersion === true) return print(`${version()}\n`);
  const [name = '', ...others] = parsed.positionals;
  if (!Object.hasOwn(COMMANDS, name))
    return misused(name === '' ? 'a command is missing' : `there is no command ${name}`);
  const command = COMMANDS[name];
  const actions = command?.actions ?? [''];
  const [action = '', ...rest] = others;
  if (!actions.includes(action) || rest.length > 0) {
    return misused(
      actions[0] === '' ? `${name} takes no arguments` : `${name} needs one of: ${actions.join(', ')}`,
    );
  }
  const unknown = Object.keys(options).find((option) => !command?.options.some((known) => known === option));
  if (command === undefined || unknown !== undefined)
    return misused(`${name} has no option --${unknown ?? ''}`);
  return command.run(options, action);
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

/**
 * Prints a new entry of `SESSION_KEYS`. Without a given id, it gets one of today's date and a random part, so that no
 * two hosts make the same one.
 */
function key({ id = newId() }: CommandOptions): number {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id)) {
    process.stderr.write('portico: an id has 1 to 32 letters, digits, - and _\n');
    return MISUSED;
  }
  return print(`${id}:${randomBytes(KEY_BYTES).toString('base64')}\n`);
}

/** Prints a new key of a credential profile for its callers, and its digest for the file of profiles. */
function profileKey(): number {
  const made = randomBytes(KEY_BYTES).toString('base64url');
  const digest = createHash('sha256').update(made).digest('hex');
  return print(`profileKey: ${made}\nprofileKeySha256: ${digest}\n`);
}

function newId(): string {
  return `${new Date().toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}`;
}
