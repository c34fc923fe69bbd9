import { expect, it } from 'vitest';

import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { rawExchange } from '../support/raw-exchange.js';
import { createCanaries } from '../support/secrets/canaries.js';
import { type CallOptions, Wire } from './wire.js';

const JSON_TYPE = { 'content-type': 'application/json' };

it('the embedded platform never repeats a secret from a request, whatever is wrong with it', async () => {
  await using platform = await startPlatform();
  const wire = new Wire(platform.baseUrl);
  const canaries = createCanaries();
  const secret = canaries.plant('PW');
  const session = await wire.loginAs('demo');
  canaries.watch('TOK', session.headers['X-SVC-AuthToken'] ?? '');
  canaries.watch('CKV', session.headers.cookie?.replace('JSESSIONID=', '') ?? '');
  canaries.watch('IDT', await wire.mintIdentityToken(session));
  const good = { username: 'demo', password: 'demo', loginMode: 1, applicationType: 8 };
  const login = (fields: object): [string, CallOptions] => [
    'POST auth/login',
    { json: { ...good, ...fields } },
  ];
  const asText = (body: string): [string, CallOptions] => ['POST auth/login', { body, headers: JSON_TYPE }];
  const attempts: [string, CallOptions][] = [
    login({ password: secret }),
    login({ username: secret }),
    login({ username: secret, loginMode: 4096 }),
    login({ loginMode: secret }),
    login({ applicationType: secret }),
    login({ password: [secret] }),
    login({ [secret]: secret, loginMode: 2 }),
    asText(`{"password":"${secret}"`),
    asText(`"${secret}"`),
    asText(secret),
    ['POST auth/delegate', { json: { loginMode: -1, identityToken: secret } }],
    ['POST auth/delegate', { json: { loginMode: secret, identityToken: secret } }],
    ['GET auth/identityToken', { headers: { 'X-SVC-IdentityToken': secret } }],
    [`GET ${secret}`, {}],
    [`GET sessions?fields=${secret}`, { session }],
    ['GET sessions', { headers: { 'X-SVC-AuthToken': secret, cookie: `JSESSIONID=${secret}` } }],
    ['GET sessions', { session, headers: { 'X-SVC-ProjectID': secret } }],
    ['GET sessions', { session }],
    ['GET sessions/userInfo', { session }],
    ['GET projects', { session }],
    ['POST auth/logout', { session }],
  ];

  const said: string[] = [await rawExchange(platform.baseUrl, `${secret} ${secret}\r\n\r\n`)];
  for (const [operation, options] of attempts) {
    const response = await wire.call(operation, options);
    said.push(JSON.stringify([...response.headers]), await response.text());
  }

  expect(canaries.findIn(said.join('\n'))).toEqual([]);
  expect(canaries.findIn(JSON.stringify(attempts)).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['PW', 'TOK', 'CKV']),
  );
});
