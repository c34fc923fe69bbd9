/* global document, fetch, FormData, GraphiQL, React, ReactDOM */
const ENDPOINT = '/graphql';
const { fieldPrefix, demo } = document.body.dataset;

/** Selects a root field by its name in this service, under its usual name. */
function field(name) {
  if (fieldPrefix === '') return name;
  return `${name}: ${fieldPrefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const FIRST_QUERY = `# Log in above, or leave all fields empty for a guest session.
{
  ${field('me')} { fullName }
  ${field('projects')} { id name }
}
`;

const form = document.querySelector('#session');
const status = document.querySelector('#status');
const logout = document.querySelector('#logout');
const LOGGED_OUT = demo === '' ? 'Not logged in' : `Not logged in; try ${demo} / ${demo}`;

/** The session cookie is HttpOnly: this page sends the handle without ever seeing it. */
async function send(query, variables) {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(describeError(errors[0]));
  return data;
}

/** The reason adds to the message, except for a failed login, where both say the same. */
function describeError({ message, extensions: { reason } = {} }) {
  return reason === undefined || reason === 'LOGIN_FAILED' ? message : `${message} (${reason})`;
}

async function showStatus(work) {
  try {
    status.textContent = await work();
  } catch (error) {
    status.textContent = error.message;
  }
}

function showUser(me) {
  logout.disabled = false;
  return `Logged in as ${me?.fullName ?? 'unknown user'}`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const given = [...new FormData(form)].filter(([, value]) => value !== '');
  void showStatus(async () => {
    const { login } = await send(
      `mutation ($input: LoginInput!) { ${field('login')}(input: $input) { me { fullName } } }`,
      {
        input: Object.fromEntries(given),
      },
    );
    form.reset();
    return showUser(login.me);
  });
});

logout.addEventListener('click', () => {
  void showStatus(async () => {
    await send(`mutation { ${field('logout')} { loggedOut } }`);
    logout.disabled = true;
    return 'Logged out';
  });
});

void showStatus(async () => {
  const { hasSession } = await send(`{ ${field('hasSession')} }`);
  if (!hasSession) return LOGGED_OUT;
  return showUser((await send(`{ ${field('me')} { fullName } }`)).me);
});

ReactDOM.createRoot(document.querySelector('#graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: ENDPOINT }),
    defaultQuery: FIRST_QUERY,
  }),
);
