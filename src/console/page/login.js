import { ask, field, settings, typeName } from './graphql.js';
import { follow } from './session.js';

const USERNAME = { name: 'username', label: 'User name', autocomplete: 'username' };
const PASSWORD = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' };
const secret = (name, label) => ({ name, label, type: 'password', autocomplete: 'off' });

/** The fields of each way to log in, what it adds to the input, and what to check if the platform refuses it. */
const WAYS = {
  password: {
    fields: [USERNAME, PASSWORD],
    check: 'the user name and the password; a user of the directory logs in by LDAP',
  },
  ldap: {
    fields: [USERNAME, PASSWORD],
    input: { mode: 'LDAP' },
    check: 'the user name, the password, and that the platform is connected to the directory',
  },
  apiKey: { fields: [secret('apiKey', 'API key')], check: 'the API key, and that it is still valid' },
  guest: { fields: [], check: 'that the platform lets guests in' },
  identityToken: {
    fields: [secret('identityToken', 'Identity token')],
    operation: 'delegate',
    check: 'the token: it works once, and for about a minute',
  },
  profile: {
    fields: [{ name: 'profile', label: 'Profile', autocomplete: 'off' }, secret('profileKey', 'Profile key')],
    check: 'the name of the profile, its key, and the log of the service',
  },
};

const element = (id) => document.getElementById(id);
const form = element('login-form');
const mode = element('mode');
const trouble = element('login-error');

/** The form for every way to log in, and the demo logins as buttons. */
export function showLogin() {
  if (!settings.guests) mode.querySelector('[value=guest]').remove();
  mode.addEventListener('change', showFields);
  showFields();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    delete given.mode;
    void logIn(mode.value, given);
  });
  if (settings.demo) showDemo(settings.demo);
  let wasLoggedIn;
  follow(({ session }) => {
    if (session === undefined) return;
    const isLoggedIn = session !== null;
    // Only when it changes: a user who opened the form to log in as another one keeps it open.
    if (isLoggedIn !== wasLoggedIn) element('login').open = !isLoggedIn;
    if (isLoggedIn !== wasLoggedIn && wasLoggedIn !== undefined) moveFocus(isLoggedIn);
    wasLoggedIn = isLoggedIn;
  });
}

async function logIn(way, given) {
  const { operation = 'login', input = {} } = WAYS[way];
  const type = typeName(operation === 'login' ? 'LoginInput' : 'DelegateInput');
  trouble.textContent = '';
  setBusy(true);
  try {
    await ask(`mutation ($input: ${type}!) { ${field(operation)}(input: $input) { expiresAt } }`, {
      input: { ...given, ...input, transport: 'COOKIE' },
    });
    showFields();
  } catch (error) {
    trouble.textContent =
      error.reason === 'LOGIN_FAILED' ? `${error.message}. Check ${WAYS[way].check}.` : error.message;
  } finally {
    setBusy(false);
  }
}

/** What had the focus is gone or closed. A user who writes a query meanwhile keeps it. */
function moveFocus(isLoggedIn) {
  const { activeElement: active, body } = document;
  const isElsewhere = active !== body && active.closest('#login, #session') === null;
  if (isElsewhere) return;
  const target = isLoggedIn ? element('session') : (form.querySelector('#login-fields input') ?? mode);
  // The buttons that a login has disabled come back first.
  setTimeout(() => target.focus());
}

function setBusy(isBusy) {
  for (const button of element('login').querySelectorAll('button')) button.disabled = isBusy;
}

/** New fields are empty: no secret stays in the page. */
function showFields() {
  trouble.textContent = '';
  const { fields } = WAYS[mode.value];
  element('login-fields').replaceChildren(
    ...fields.flatMap(({ label, ...attributes }) => labeled(label, attributes)),
  );
}

function labeled(label, attributes) {
  const id = `login-${attributes.name}`;
  const input = Object.assign(document.createElement('input'), { id, spellcheck: false, ...attributes });
  input.required = attributes.name !== 'password';
  return [Object.assign(document.createElement('label'), { htmlFor: id, textContent: label }), input];
}

function showDemo({ users, password, apiKey }) {
  const logins = [
    ...users.map(({ username, shows }) => ({
      title: username,
      shows,
      way: 'password',
      given: { username, password },
    })),
    { title: 'API key', shows: 'the first user by a key', way: 'apiKey', given: { apiKey } },
    { title: 'Guest', shows: 'an anonymous session', way: 'guest', given: {} },
  ];
  element('demo').hidden = false;
  element('demo-list').replaceChildren(
    ...logins.filter(({ way }) => way !== 'guest' || settings.guests).map(demoItem),
  );
}

function demoItem({ title, shows, way, given }) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'row' });
  button.append(
    Object.assign(document.createElement('strong'), { textContent: title }),
    Object.assign(document.createElement('span'), { className: 'dim', textContent: shows }),
  );
  button.addEventListener('click', () => void logIn(way, given));
  const item = document.createElement('li');
  item.append(button);
  return item;
}
