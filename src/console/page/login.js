import { ask, field, settings } from './graphql.js';
import { follow } from './session.js';

const USERNAME = { name: 'username', label: 'User name', autocomplete: 'username' };
const PASSWORD = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' };
const secret = (name, label) => ({ name, label, type: 'password', autocomplete: 'off' });

/** The fields of each way to log in, and what it adds to the input. */
const WAYS = {
  password: { fields: [USERNAME, PASSWORD] },
  ldap: { fields: [USERNAME, PASSWORD], input: { mode: 'LDAP' } },
  apiKey: { fields: [secret('apiKey', 'API key')] },
  guest: { fields: [] },
  identityToken: { fields: [secret('identityToken', 'Identity token')], operation: 'delegate' },
  profile: {
    fields: [{ name: 'profile', label: 'Profile', autocomplete: 'off' }, secret('profileKey', 'Profile key')],
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
    // Only when it changes: somebody who opened the form to log in as another user keeps it open.
    if (isLoggedIn !== wasLoggedIn) element('login').open = !isLoggedIn;
    wasLoggedIn = isLoggedIn;
  });
}

async function logIn(way, given) {
  const { operation = 'login', input = {} } = WAYS[way];
  const type = operation === 'login' ? 'LoginInput' : 'DelegateInput';
  trouble.textContent = '';
  setBusy(true);
  try {
    await ask(`mutation ($input: ${type}!) { ${field(operation)}(input: $input) { expiresAt } }`, {
      input: { ...given, ...input, transport: 'COOKIE' },
    });
    showFields();
  } catch (error) {
    trouble.textContent = error.message;
  } finally {
    setBusy(false);
  }
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
