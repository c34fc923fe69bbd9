import assert from 'node:assert/strict';
import { test } from 'node:test';
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

  assert.deepEqual(await reportNames(session), ['Sales', 'Costs']);

  assert.equal(platform.calls.at(-1).query, 'limit=100');
});

test('an export goes on when the session expires', async () => {
  await using platform = await startEmbeddedPlatform({ routes });
  await using session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, ...login });
  platform.expireSessions();

  const pdf = await reportAsPdf(session, 'R1');

  assert.equal(new TextDecoder().decode(pdf), '%PDF R1');
  assert.equal(platform.calls.filter(({ path }) => path === 'auth/login').length, 2);
});

test('a response that the test makes', async () => {
  const session = { request: async () => PlatformResponse.from({ body: [{ name: 'Sales' }] }) };

  assert.deepEqual(await reportNames(session), ['Sales']);
});
