/** What the service says about itself: the prefixes of its root fields and types, whether it accepts guests, and the demo logins. */
export const settings = JSON.parse(document.body.dataset.settings);

/** Selects a root field by its name in this service, under its usual name. */
export function field(name) {
  const { fieldPrefix } = settings;
  if (fieldPrefix === '') return name;
  return `${name}: ${fieldPrefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The name of a type in this service. */
export function typeName(name) {
  return `${settings.typePrefix}${name}`;
}

const ENDPOINT = '/graphql';
const listeners = new Set();

/** Calls back with each answer. */
export function onAnswer(listener) {
  listeners.add(listener);
}

/**
 * Sends a document. The session cookie is HttpOnly: this page sends the handle without ever seeing it. The answer is GraphQL's
 * whatever its status; followers are notified, unless it is `quiet`.
 */
export async function post({ query, variables, operationName }, { headers = {}, quiet = false } = {}) {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables, operationName }),
  });
  const answer = await readAnswer(response);
  if (!quiet) for (const listener of listeners) listener(answer);
  return answer;
}

/** Sends one of this page's own documents. @throws Error for the first error, with its `reason`, if there is no data. */
export async function ask(query, variables) {
  const answer = await post({ query, variables });
  if (answer.errors && isEmpty(answer.data)) {
    const [error] = answer.errors;
    throw Object.assign(new Error(told(error)), { reason: error.extensions?.reason });
  }
  return answer;
}

/** The reason adds to the message, except for a failed login, where both say the same. */
export function told({ message, extensions: { reason, retryAfter } = {} }) {
  const wait = retryAfter === undefined ? '' : `; try again in ${retryAfter} s`;
  return reason === undefined || reason === 'LOGIN_FAILED'
    ? `${message}${wait}`
    : `${message} (${reason}${wait})`;
}

async function readAnswer(response) {
  try {
    return await response.json();
  } catch {
    return { errors: [{ message: `The service answered ${response.status} without JSON` }] };
  }
}

function isEmpty(data) {
  return data === undefined || data === null || Object.values(data).every((value) => value === null);
}
