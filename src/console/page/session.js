import { field, onAnswer, post, told } from './graphql.js';

const TIMES = 'expiresAt idleExpiresAt platformExpiresAt startedAt';
const REMAINING = 'expiresInSeconds idleExpiresInSeconds platformExpiresInSeconds';
const SESSION = `{ ${field('session')} { ${TIMES} ${REMAINING} transport profile } }`;
const ME = `${field('me')} { fullName initials }`;
/** The only query with which the platform reports its timeout; it also counts as use. */
const TIMEOUT = `${field('sessionStatus')} { timeoutSeconds }`;

/**
 * What this page knows about its session.
 *
 * - `session`: undefined until it is known, null without one
 * - `user`: whose session it is, once the platform has said so; `userTrouble`: why it has not
 * - `ended`: why there is no longer a session
 * - `trouble`: why the service could not be queried; what was known before still holds
 * - `answered`: when the session was answered, by `performance.now()`: the clock of this machine may be wrong
 */
let state = { session: undefined, answered: 0 };
const followers = new Set();
const tabs = new BroadcastChannel('portico-session');
let asking;
let askAgain = false;
/** Why the service refused the session, until an answer that was asked for later shows that it goes on. */
let refusal;

/** Calls back with the state now and after each change. */
export function follow(follower) {
  followers.add(follower);
  follower(state);
}

/** Queries the service, which does not call the platform and extends nothing. Calls that arrive meanwhile share one more query. */
export function refresh() {
  if (asking !== undefined) {
    askAgain = true;
    return asking;
  }
  asking = askSession().finally(() => {
    asking = undefined;
    if (!askAgain) return undefined;
    askAgain = false;
    return refresh();
  });
  return asking;
}

/** Asks the platform who it is: the answer also says whether it still knows the session. */
export function askWho() {
  return askPlatform(`{ ${ME} }`);
}

async function askPlatform(query) {
  const answer = await post({ query }).catch(({ message }) => ({ errors: [{ message }] }));
  if (!state.session) return;
  const user = answer.data?.me ?? undefined;
  update({ user, userTrouble: user === undefined && answer.errors ? told(answer.errors[0]) : undefined });
}

/** Whether two states belong to the same session; the same person may log in twice. */
export function idOf(session) {
  return session && `${session.startedAt} ${session.transport} ${session.profile}`;
}

async function askSession() {
  const before = refusal;
  try {
    const answer = await post({ query: SESSION }, { quiet: true });
    if (answer.data === undefined || answer.data === null) throw new Error(told(answer.errors[0]));
    accept(answer.data.session, before);
  } catch (error) {
    update({ trouble: `The session cannot be loaded: ${error.message}` });
  }
}

/** @param refusalBefore the one that was known when the session was asked for */
function accept(session, refusalBefore) {
  const answered = performance.now();
  const [before, now] = [idOf(state.session), idOf(session)];
  if (before === now) {
    if (refusal === refusalBefore) refusal = undefined;
    update({ session, answered, trouble: undefined });
    return;
  }
  const ended = session === null && before ? (refusal?.reason ?? 'LOGGED_OUT') : undefined;
  refusal = undefined;
  update({ session, answered, ended, trouble: undefined, user: undefined, userTrouble: undefined });
  if (before !== undefined) tabs.postMessage('changed');
  if (session !== null) void (session.platformExpiresAt ? askWho() : askPlatform(`{ ${ME} ${TIMEOUT} }`));
}

function update(changes) {
  state = { ...state, ...changes };
  for (const follower of followers) follower(state);
}

// Any answer may mean that the session has started, changed or ended, no matter who sent the document and what it was.
onAnswer(({ errors = [] }) => {
  const error = errors.find(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
  // Of several the first tells why: for those that follow there is no session anymore.
  if (error !== undefined) refusal ??= { reason: error.extensions.reason };
  void refresh();
});
tabs.addEventListener('message', () => void refresh());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh();
});
