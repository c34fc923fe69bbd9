import { type Account, DEMO_ACCOUNT, GUEST_ACCOUNT } from './accounts.js';
import { invalidInput, loginFailed } from '../wire/errors.js';
import { type Fields, requiredInteger, requiredNonEmptyText, requiredText } from '../wire/fields.js';
import { SCENARIO_ACCOUNTS } from './scenario-accounts.js';

const STANDARD = 1;
const ANONYMOUS = 8;
const TRUSTED = 4096;

const PASSWORD = 'demo';
const API_KEY = 'demo-api-key';

const ACCOUNTS = [DEMO_ACCOUNT, ...SCENARIO_ACCOUNTS];

/** What a start-up screen can print: the logins of the embedded platform, which are no secrets. */
export const DEMO_LOGINS = {
  /** The password of every user. */
  password: PASSWORD,
  /** The API key of the first user. */
  apiKey: API_KEY,
  users: ACCOUNTS.map(({ username, shows }) => ({ username, shows })),
} as const;

/** Whom a login body belongs to. A user's own scenario speaks only after the credentials were right. */
export function authenticate(fields: Fields): Account {
  const loginMode = requiredInteger(fields, 'loginMode');
  requiredInteger(fields, 'applicationType');
  const account = findAccount(loginMode, fields);
  if (!account) throw loginFailed();
  if (account.refusesLogin) throw account.refusesLogin();
  return account;
}

function findAccount(loginMode: number, fields: Fields): Account | undefined {
  switch (loginMode) {
    case STANDARD: {
      const username = requiredNonEmptyText(fields, 'username');
      return requiredText(fields, 'password') === PASSWORD ? accountOf(username) : undefined;
    }
    case TRUSTED: {
      const username = requiredNonEmptyText(fields, 'username');
      return username === API_KEY ? DEMO_ACCOUNT : accountOf(username);
    }
    case ANONYMOUS:
      return GUEST_ACCOUNT;
    default:
      throw invalidInput('Field loginMode must be 1, 8 or 4096.');
  }
}

function accountOf(username: string): Account | undefined {
  return ACCOUNTS.find((account) => account.username === username);
}
