/**
 * Queries the Portico of this page's own origin.
 *
 * @param handle of a session that has no cookie.
 * @throws Error for the first error in Portico's answer.
 */
export async function ask(query, { variables, handle } = {}) {
  const headers = { 'content-type': 'application/json' };
  if (handle !== undefined) headers.authorization = `Bearer ${handle}`;
  const body = JSON.stringify({ query, variables });
  const response = await fetch('/graphql', { method: 'POST', headers, body });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

/** The one origin that this page exchanges messages with. */
export async function partnerOrigin() {
  const response = await fetch('/settings.json');
  const { partner } = await response.json();
  return partner;
}

export function say(text) {
  document.querySelector('#status').textContent = text;
}
