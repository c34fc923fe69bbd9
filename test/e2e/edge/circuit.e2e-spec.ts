import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

describe('a caller whose platform keeps failing', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
      'GET projects': { status: 500, headers: { 'content-type': 'text/html' }, body: '<p>Oops</p>' },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(() => app.close());

  it('is told so without asking it, is told when to come back, and keeps the session', async () => {
    const handles = await Promise.all(
      Array.from({ length: 50 }, () => bearerHandle(app.graphql, { username: 'user', password: 'password' })),
    );
    const ask = (handle?: string): ReturnType<TestApp['graphql']> =>
      app.graphql('{ projects { id } }', { handle });
    await Promise.all(handles.map(ask));
    const calls = platform.count('GET projects');

    const { errors, headers } = await ask(handles[0]);

    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      reason: 'CIRCUIT_OPEN',
      retryable: true,
    });
    const { retryAfter } = errors?.[0]?.extensions ?? {};
    expect([4, 5, 6]).toContain(retryAfter);
    expect(headers.get('retry-after')).toBe(String(retryAfter));
    expect(platform.count('GET projects')).toBe(calls);
    expect((await app.graphql('{ hasSession }', { handle: handles[0] })).data).toEqual({ hasSession: true });
    const logout = await app.graphql('mutation { logout { loggedOut } }', { handle: handles[0] });
    expect(logout.data).toEqual({ logout: { loggedOut: true } });
  });
});
