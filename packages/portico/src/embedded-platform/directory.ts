import { loginFailed } from './errors.js';
import { type Fields, optionalInteger, requiredNonEmptyText, requiredText } from './fields.js';
import { type Account, DEMO_ACCOUNT, GUEST_ACCOUNT } from './accounts.js';
import { loginKindOf } from './login-mode.js';
import { SCENARIO_ACCOUNTS } from './scenario-accounts.js';

const PASSWORD = 'demo';
const API_KEY = 'demo-api-key';

const ACCOUNTS = [DEMO_ACCOUNT, ...SCENARIO_ACCOUNTS];

/** The logins of the embedded platform, for a start screen to print. They are not secrets. */
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
