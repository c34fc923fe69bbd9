/** Logs the user in, embeds the reports page, and lends it the session: each time that it asks, it gets one identity token. */
import { ask, partnerOrigin, say } from './portico.js';

const [form, content, frame] = ['#login', '#content', 'iframe'].map((name) => document.querySelector(name));
const reports = await partnerOrigin();

window.addEventListener('message', ({ origin, source, data }) => {
  // Any window may send a message. Two things must be right: the origin of the page, and that it is in our frame.
  if (origin !== reports || source !== frame.contentWindow || data?.type !== 'token-wanted') return;
  void lend();
});

async function lend() {
  try {
    const { identityToken } = await ask('mutation { identityToken { token } }');
    // The second argument keeps the token from any other page that the frame may show by now.
    frame.contentWindow.postMessage({ type: 'token', token: identityToken.token }, reports);
  } catch (error) {
    say(`The reports cannot join: ${error.message}`);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const input = Object.fromEntries(new FormData(form));
  ask('mutation ($input: LoginInput!) { login(input: $input) { me { fullName } } }', { variables: { input } })
    .then(({ login }) => show(login.me))
    .catch((error) => say(error.message));
});

document.querySelector('#logout').addEventListener('click', () => {
  ask('mutation { logout { loggedOut } }')
    .then(() => show(null))
    .catch((error) => say(error.message));
});

function show(user) {
  say(user ? user.fullName : 'Log in to see your reports');
  form.hidden = user !== null;
  content.hidden = user === null;
  // The address contains nothing but the page.
  frame.src = user ? reports : 'about:blank';
}

const { session, me } = await ask('{ session { startedAt } me { fullName } }').catch(() => ({}));
show(session && me ? me : null);
