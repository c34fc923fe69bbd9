import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { loginAnswer } from '../../../packages/portico/test/support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
  type ScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

describe('a caller whose platform keeps failing', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({
      'POST auth/login': logins(50),
      'POST auth/logout': { status: 204 },
      // It asks to wait longer than a deadline, so that no read is retried.
      'GET projects': { status: 503, headers: { 'retry-after': '3600' }, body: '<p>Oops</p>' },
    });
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
  });
  afterAll(() => app.close());

  it('is told so without asking it, is told when to come back, and keeps the session', async () => {
    const handles = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        bearerHandle(app.graphql, { username: `user ${n % 10}`, password: 'password' }),
      ),
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
    expect(platform.count('POST auth/logout')).toBe(1);
  });
});

describe('a caller beside one whose answers are too large', () => {
  it('sees no error, and neither do 50 others', async () => {
    const large = JSON.stringify([{ id: 'a', name: 'x'.repeat(5000) }]);
    const platform = await startScriptedPlatform({
      'POST auth/login': logins(51),
      'GET projects': ({ headers }, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(headers['x-svc-authtoken'] === 'token-0' ? large : '[]');
      },
    });
    const app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, PLATFORM_MAX_ANSWER_BYTES: '4096' });
    const handles: (string | undefined)[] = [];
    for (let nth = 0; nth < 51; nth += 1) {
      handles.push(await bearerHandle(app.graphql, { username: `user-${nth}`, password: 'password' }));
    }
    const [tenant, ...others] = handles;
    const ask = (handle?: string): ReturnType<TestApp['graphql']> =>
      app.graphql('{ projects { id } }', { handle });

    for (let round = 0; round < 3; round += 1) {
      const refused = Array.from({ length: 20 }, () => ask(tenant));
      const answered = await Promise.all(others.map(ask));
      for (const { errors } of await Promise.all(refused)) {
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_PROTOCOL' });
      }
      for (const { errors, data } of answered) {
        expect(errors).toBeUndefined();
        expect(data).toEqual({ projects: [] });
      }
    }
    await app.close();
  });
});

/** Logins in turn, each with a token of its own. */
function logins(count: number): ScriptedAnswer[] {
  return Array.from({ length: count }, (_, nth) => loginAnswer(`token-${nth}`));
}
