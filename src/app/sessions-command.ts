import { existsSync } from 'node:fs';
import { sessionAccount } from '../auth/login-subject.js';
import { EnvFileError, readEnvironment } from '../config/environment.js';
import { checkSettings } from '../config/parse-settings.js';
import { type Settings } from '../config/settings.js';
import {
  endSessions,
  listSessions,
  type OperatorSession,
  type SessionFilter,
} from '../session/operator-sessions.js';
import { problemsInKeyFile } from '../session/session-keys.js';
import { backendFile } from '../session/store/backend-file.js';
import { StoreHealth } from '../session/store/store-health.js';
import { findingsTable } from './finding.js';
import { runningSessions, type RunningSessions } from './operator-socket.js';

const ID = /^[0-9a-f]{16}$/;
const COLUMNS: readonly (keyof OperatorSession)[] = [
  'id',
  'startedAt',
  'lastUsedAt',
  'endsAt',
  'transport',
  'network',
];
const WIDTHS = [16, 24, 24, 24, 9, 0];

export interface SessionsOptions {
  readonly account?: string | undefined;
  readonly id?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The commands `sessions list` and `sessions end`. */
export async function runSessions({ account, id, json }: SessionsOptions, action: string): Promise<number> {
  const problem = misuse({ account, id }, action);
  if (problem !== undefined) {
    process.stderr.write(`portico: ${problem}\n`);
    return 2;
  }
  const { settings, problems } = readSettings();
  if (problems.length > 0) {
    process.stderr.write(
      findingsTable(problems.map((found) => ({ what: 'settings', state: 'wrong', found }))),
    );
    return 1;
  }
  const filter = { id, accounts: account === undefined ? undefined : accountsOf(account) };
  try {
    await withSessions(settings, async (sessions) => {
      if (action === 'list') await print(sessions.list(filter), json);
      else process.stdout.write(await said(sessions.end(filter), json));
    });
    return 0;
  } catch (error) {
    process.stderr.write(`portico: ${error instanceof Error ? error.message : ''}\n`);
    return 1;
  }
}

/** Only what a store needs is checked: to check the other files takes most of what the service consists of. */
function readSettings(): { settings: Settings; problems: readonly string[] } {
  try {
    const { settings, problems } = checkSettings(readEnvironment());
    return { settings, problems: [...problems, ...problemsInKeyFile(settings)] };
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    return { settings: checkSettings({}).settings, problems: [error.message] };
  }
}

function misuse(
  { account, id }: SessionFilter & { account?: string | undefined },
  action: string,
): string | undefined {
  if (account !== undefined && id !== undefined) return 'give --account or --id, not both';
  if (action === 'end' && account === undefined && id === undefined)
    return 'sessions end needs --account or --id';
  return id === undefined || ID.test(id) ? undefined : 'an id has 16 hexadecimal digits, as in the audit log';
}

/** A user in each mode of login, and a profile. An API key has no name but itself, which no command line may show. */
function accountsOf(name: string): string[] {
  return [
    sessionAccount({ kind: 'user', name }),
    sessionAccount({ kind: 'user', name, mode: 'ldap' }),
    sessionAccount({ kind: 'profile', name }),
  ];
}

/** The file of the embedded store belongs to the service that runs with it, which is asked then. */
async function withSessions(
  settings: Settings,
  work: (sessions: RunningSessions) => Promise<void>,
): Promise<void> {
  if (settings.SESSION_STORE === 'embedded') {
    const running = await runningSessions(settings.SESSION_STORE_PATH);
    if (running !== undefined) {
      await work(running);
      return;
    }
  }
  if (settings.SESSION_STORE === 'embedded' && !existsSync(settings.SESSION_STORE_PATH)) {
    throw new Error(`there is no session store at ${settings.SESSION_STORE_PATH} (SESSION_STORE_PATH)`);
  }
  const { open } = await backendFile(settings.SESSION_STORE);
  const { sessions: store } = await open(settings, new StoreHealth());
  try {
    await store.reach();
    await work({
      list: (filter) => listSessions(store, filter),
      end: (filter) => endSessions(store, filter),
    });
  } finally {
    await store.close();
  }
}

async function print(
  batches: AsyncIterable<readonly OperatorSession[]>,
  json: boolean | undefined,
): Promise<void> {
  if (json !== true) process.stdout.write(row(COLUMNS));
  for await (const sessions of batches) {
    const lines = sessions.map((session) =>
      json === true ? `${JSON.stringify(session)}\n` : row(COLUMNS.map((column) => session[column] ?? '-')),
    );
    if (!process.stdout.write(lines.join('')))
      await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

function row(cells: readonly string[]): string {
  return `${cells
    .map((cell, n) => cell.padEnd(WIDTHS[n] ?? 0))
    .join('  ')
    .trimEnd()}\n`;
}

async function said(ending: Promise<number>, json: boolean | undefined): Promise<string> {
  const ended = await ending;
  return json === true
    ? `${JSON.stringify({ ended })}\n`
    : `${ended} ${ended === 1 ? 'session' : 'sessions'} ended\n`;
}
