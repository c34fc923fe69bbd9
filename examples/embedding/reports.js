/**
 * Shown in the portal's frame: joins its session and shows the projects. In a frame on another site, a browser sends no cookie, so
 * the handle stays in this variable: a reload asks for another token.
 */
import { ask, partnerOrigin, say } from './portico.js';

const JOIN = `mutation ($input: DelegateInput!) {
  delegate(input: $input) { handle me { fullName } projects { id name } }
}`;
const portal = await partnerOrigin();
let handle;

window.addEventListener('message', ({ origin, source, data }) => {
  // Anybody else who could hand in a token would choose whose session this page shows.
  if (origin !== portal || source !== window.parent || data?.type !== 'token') return;
  join(data.token).catch((error) => say(error.message));
});

async function join(identityToken) {
  const { delegate } = await ask(JOIN, { variables: { input: { identityToken, transport: 'BEARER' } } });
  handle = delegate.handle;
  say(`The projects of ${delegate.me.fullName}`);
  document.querySelector('ul').replaceChildren(
    ...delegate.projects.map(({ name }) => {
      return Object.assign(document.createElement('li'), { textContent: name });
    }),
  );
}

document.querySelector('#check').addEventListener('click', () => {
  ask('{ me { fullName } }', { handle })
    .then(({ me }) => say(`Still the projects of ${me.fullName}`))
    .catch((error) => say(error.message));
});

if (window.parent === window) say('This page is shown by the portal');
else window.parent.postMessage({ type: 'token-wanted' }, portal);
