import { invalidInput, loginFailed } from './errors.js';
import {
  type Fields,
  hasField,
  optionalInteger,
  requiredNonEmptyText,
  requiredText,
} from './request-body.js';
import { type Account, DEMO_ACCOUNT, GUEST_ACCOUNT, SCENARIO_ACCOUNTS } from './accounts.js';

const PASSWORD = 'demo';
const API_KEY = 'demo-api-key';

const ACCOUNTS = [DEMO_ACCOUNT, ...SCENARIO_ACCOUNTS];

/**
 * The logins of the embedded platform, for a start screen to print. They are not secrets.
 * @example
 * console.log(DEMO_LOGINS.users.some(({ username }) => username === 'demo')); // true
 */
export const DEMO_LOGINS = {
  /** The password of every user. */
  password: PASSWORD,
  /** The API key of the first user. */
  apiKey: API_KEY,
  users: ACCOUNTS.map(({ username, shows }) => ({ username, shows })),
} as const;

/** The account of a login body. An account refuses a login only after its credentials have proved right. */
export function authenticate(fields: Fields): Account {
  // Any application may log in, so the number is only checked. The default is 8.
  optionalInteger(fields, 'applicationType');
  const account = findAccount(fields);
  if (!account) throw loginFailed();
  if (account.refusesLogin) throw account.refusesLogin();
  return account;
}

function findAccount(fields: Fields): Account | undefined {
  switch (loginKindOf(fields)) {
    case 'password': {
      const username = requiredNonEmptyText(fields, 'username');
      return requiredText(fields, 'password') === PASSWORD ? accountOf(username) : undefined;
    }
    case 'trusted': {
      const username = requiredNonEmptyText(fields, 'username');
      return username === API_KEY ? DEMO_ACCOUNT : accountOf(username);
    }
    case 'anonymous':
      return GUEST_ACCOUNT;
  }
}

function accountOf(username: string): Account | undefined {
  return ACCOUNTS.find((account) => account.username === username);
}

const LOGIN_MODES = { 1: 'password', 8: 'anonymous', 16: 'password', 4096: 'trusted' } as const;

/** How a login proves who it is. Modes 1 (standard) and 16 (LDAP) both take a user name and a password. */
export type LoginKind = (typeof LOGIN_MODES)[keyof typeof LOGIN_MODES];

/** By `loginMode`; without it, by the credentials in the body. */
export function loginKindOf(fields: Fields): LoginKind {
  const loginMode = optionalInteger(fields, 'loginMode');
  if (loginMode === undefined) return kindByCredentials(fields);
  if (!isOffered(loginMode)) throw invalidInput('Field loginMode must be 1, 8, 16 or 4096.');
  return LOGIN_MODES[loginMode];
}

function kindByCredentials(fields: Fields): LoginKind {
  if (!hasField(fields, 'username')) return 'anonymous';
  return hasField(fields, 'password') ? 'password' : 'trusted';
}

function isOffered(loginMode: number): loginMode is keyof typeof LOGIN_MODES {
  return Object.hasOwn(LOGIN_MODES, loginMode);
}
