/* global document, fetch, FormData, GraphiQL, React, ReactDOM */
const ENDPOINT = '/graphql';
const { fieldPrefix, demo } = document.body.dataset;

/** Selects a root field by the name that it has in this service, under the name that it has everywhere. */
function field(name) {
  if (fieldPrefix === '') return name;
  return `${name}: ${fieldPrefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const FIRST_QUERY = `# Log in above, or leave all empty to be a guest.
{
  ${field('me')} { fullName }
  ${field('projects')} { id name }
}
`;

const form = document.querySelector('#session');
const status = document.querySelector('#status');
const logout = document.querySelector('#logout');
const LOGGED_OUT = demo === '' ? 'Not logged in' : `Not logged in; try ${demo} / ${demo}`;

/** The session's cookie is HttpOnly: this page never sees the handle, and sends it without knowing it. */
async function send(query, variables) {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(wordsOf(errors[0]));
  return data;
}

/** The reason says more than the message, except that a login failed, which both say. */
function wordsOf({ message, extensions: { reason } = {} }) {
  return reason === undefined || reason === 'LOGIN_FAILED' ? message : `${message} (${reason})`;
}

async function tell(work) {
  try {
    status.textContent = await work();
  } catch (error) {
    status.textContent = error.message;
  }
}

function whoIsIt(me) {
  logout.disabled = false;
  return `Logged in as ${me?.fullName ?? 'somebody'}`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const given = [...new FormData(form)].filter(([, value]) => value !== '');
  void tell(async () => {
    const { login } = await send(
      `mutation ($input: LoginInput!) { ${field('login')}(input: $input) { me { fullName } } }`,
      {
        input: Object.fromEntries(given),
      },
    );
    form.reset();
    return whoIsIt(login.me);
  });
});

logout.addEventListener('click', () => {
  void tell(async () => {
    await send(`mutation { ${field('logout')} { loggedOut } }`);
    logout.disabled = true;
    return 'Logged out';
  });
});

void tell(async () => {
  const { hasSession } = await send(`{ ${field('hasSession')} }`);
  if (!hasSession) return LOGGED_OUT;
  return whoIsIt((await send(`{ ${field('me')} { fullName } }`)).me);
});

ReactDOM.createRoot(document.querySelector('#graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: ENDPOINT }),
    defaultQuery: FIRST_QUERY,
  }),
);
