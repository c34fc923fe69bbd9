import { expect, test } from '@jest/globals';
import { AuthenticatedPlatformSession, PlatformResponse } from 'portico/client';
import { startEmbeddedPlatform } from 'portico/embedded-platform';
import { reportAsPdf, reportNames } from './reports.js';

const routes = {
  'GET reports': () => Response.json([{ name: 'Sales' }, { name: 'Costs' }]),
  'GET reports/{id}/pdf': (_request, { params }) => new Response(`%PDF ${params.id}`),
};
const login = { username: 'demo', password: 'demo', relogin: true };

test('the names of the reports', async () => {
  await using platform = await startEmbeddedPlatform({ routes });
  await using session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, ...login });

  expect(await reportNames(session)).toEqual(['Sales', 'Costs']);

  expect(platform.calls.at(-1)).toMatchObject({ path: 'reports', query: 'limit=100', user: 'demo' });
});

test('an export goes on when the session expires', async () => {
  await using platform = await startEmbeddedPlatform({ routes });
  await using session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, ...login });
  platform.expireSessions();

  const pdf = await reportAsPdf(session, 'R1');

  expect(new TextDecoder().decode(pdf)).toBe('%PDF R1');
  expect(platform.calls.filter(({ path }) => path === 'auth/login')).toHaveLength(2);
});

test('a response that the test makes', async () => {
  const session = { request: async () => PlatformResponse.from({ body: [{ name: 'Sales' }] }) };

  expect(await reportNames(session)).toEqual(['Sales']);
});
