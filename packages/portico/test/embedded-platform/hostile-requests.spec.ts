import { expect, it } from 'vitest';
import fc from 'fast-check';

import { startPlatform } from '../support/embedded-platform/start-platform.js';
import { statusOf, Wire } from './wire.js';

const OPERATIONS = [
  'POST auth/login',
  'POST auth/delegate',
  'POST auth/logout',
  'POST auth/identityToken',
  'GET auth/identityToken',
  'PUT sessions',
  'GET sessions',
  'GET sessions/userInfo',
  'GET projects',
  'GET status',
  'GET nowhere',
];
const FIELDS = [
  'username',
  'password',
  'loginMode',
  'applicationType',
  'identityToken',
  '__proto__',
  'toString',
];

const field = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('demo', 'locked', 'demo-api-key', 1, 8, 4096, -1, '1', '8', '-1', ''),
);
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...FIELDS), field).map((fields) => JSON.stringify(fields)),
  fc.string({ unit: 'binary' }),
  fc.json(),
);
const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', ';', '');
const header = fc.stringMatching(/^[!-~]{0,40}$/);

it('the embedded platform answers every request with a status below 500, and with valid JSON or no body', async () => {
  await using platform = await startPlatform();
  const wire = new Wire(platform.baseUrl);
  const session = await wire.loginAs('demo');

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OPERATIONS),
      fc.option(body),
      fc.record({ type, token: header, cookie: header, projectId: header }),
      fc.boolean(),
      async (operation, text, { type: contentType, token, cookie, projectId }, loggedIn) => {
        // After a logout, the rest of the run would only meet an expired session.
        const held = loggedIn && operation !== 'POST auth/logout' ? session.headers : {};
        const response = await wire.call(operation, {
          body: operation.startsWith('GET') ? undefined : (text ?? undefined),
          headers: {
            ...(contentType && { 'content-type': contentType }),
            'X-SVC-AuthToken': token,
            'X-SVC-ProjectID': projectId,
            'X-SVC-IdentityToken': token,
            cookie,
            ...held,
          },
        });
        const said = await response.text();

        expect(response.status).toBeLessThan(500);
        if (said !== '') {
          expect(response.headers.get('content-type')).toBe('application/json');
          expect(() => JSON.parse(said) as unknown).not.toThrow();
        }
        if (response.status >= 400) expect(said).toMatch(/"code":"ERR0\d\d"/);
      },
    ),
    { numRuns: 1000 },
  );

  expect(await statusOf(wire.call('GET sessions', { session }))).toBe(200);
});
