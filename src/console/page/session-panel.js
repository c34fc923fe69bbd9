import { ask, field, settings, told } from './graphql.js';
import { askWho, follow, idOf } from './session.js';
import { firstDeadline, remainingText, timeText } from './countdown.js';

const SOON_MS = 60_000;
/** Between two questions whether a session is over whose time is. */
const CHECK_MS = 5000;
const ENDINGS = {
  LOGGED_OUT: 'Logged out',
  SESSION_EXPIRED: 'Logged out: the session has expired',
  NO_SESSION: 'Logged out: the session has ended',
};
const CARRIED = { COOKIE: 'by a cookie that no script can read', BEARER: 'by a handle' };

const element = (id) => document.getElementById(id);
const panel = element('session');
let current = { session: undefined, answered: 0 };
let whole = { id: undefined, milliseconds: 0 };
let nextCheck = 0;
let statusOfState;

/** Shows who is logged in and until when, and lets them extend and end the session. */
export function showSession() {
  follow((state) => {
    current = state;
    const text = stateText(state);
    // The result of a button stays readable until the state changes.
    if (text !== statusOfState) showStatus(text);
    statusOfState = text;
    panel.hidden = !state.session;
    if (state.session) show(state);
  });
  setInterval(tick, 1000);
  whenClicked('extend', `mutation { ${field('extend')} { expiresAt } }`, 'Extended');
  whenClicked('logout', `mutation { ${field('logout')} { loggedOut } }`);
}

/** One status line for the whole page, read aloud when it changes. */
export function showStatus(text) {
  const status = element('status');
  if (status.textContent !== text) status.textContent = text;
}

function stateText({ session, user, userTrouble, ended, trouble }) {
  if (trouble !== undefined) return trouble;
  if (session === undefined) return 'Loading the session…';
  if (session === null) return ended === undefined ? loggedOutText() : (ENDINGS[ended] ?? 'Logged out');
  if (userTrouble !== undefined) return `Logged in, but your name cannot be loaded: ${userTrouble}`;
  return user ? `Logged in as ${user.fullName ?? 'somebody without a name'}` : 'Logged in';
}

function loggedOutText() {
  return settings.demo
    ? `Not logged in; try ${settings.demo.users[0].username} / ${settings.demo.password}`
    : 'Not logged in';
}

function show({ session, user }) {
  element('user').textContent = user?.fullName ?? 'Logged in';
  element('initials').textContent = user?.initials ?? '?';
  const profile = session.profile ? `profile ${session.profile}, ` : '';
  element('carried').textContent = `${profile}${CARRIED[session.transport]}`;
  const times = [
    ['Started', session.startedAt],
    ['Platform ends it', session.platformExpiresAt],
    ['Unused until', session.idleExpiresAt],
    ['Ends at the latest', session.expiresAt],
  ].filter(([, time]) => time);
  element('times').replaceChildren(
    ...times.flatMap(([name, time]) => [textElement('dt', name), timeElement(time)]),
  );
  tick();
}

function tick() {
  const { session, answered } = current;
  if (!session) return;
  const { seconds, meaning } = firstDeadline(session);
  const now = performance.now();
  const remaining = 1000 * seconds - (now - answered);
  const id = `${idOf(session)} ${meaning}`;
  if (whole.id !== id || remaining > whole.milliseconds) whole = { id, milliseconds: remaining };
  element('remaining').textContent = remainingText(remaining);
  element('deadline').textContent = meaning;
  element('meter').style.width = `${(100 * Math.max(0, remaining)) / Math.max(1, whole.milliseconds)}%`;
  const isSoon = remaining < SOON_MS;
  // Announced once, to screen readers too; not for a session that never lasts longer than that.
  if (isSoon && whole.milliseconds > SOON_MS && !panel.classList.contains('soon')) {
    showStatus('The session ends within a minute: extend it to stay');
  }
  panel.classList.toggle('soon', isSoon);
  // Others may have used the session meanwhile: only the platform knows whether it is over, once it can be asked.
  if (remaining <= 0 && now >= nextCheck) {
    // One at a time: the answer to a second question could come first, and says less.
    nextCheck = Infinity;
    void askWho().finally(() => {
      nextCheck = performance.now() + CHECK_MS;
    });
  }
}

function whenClicked(id, mutation, done) {
  element(id).addEventListener('click', async ({ target }) => {
    target.disabled = true;
    try {
      const { errors } = await ask(mutation);
      if (errors) showStatus(told(errors[0]));
      else if (done !== undefined) showStatus(done);
    } catch (error) {
      showStatus(error.message);
    } finally {
      target.disabled = false;
    }
  });
}

function textElement(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

function timeElement(iso) {
  const time = Object.assign(document.createElement('time'), { dateTime: iso, textContent: timeText(iso) });
  const item = document.createElement('dd');
  item.append(time);
  return item;
}
