import { describe, expect, it } from 'vitest';
import { isSessionExpired, LoginFailedError, provesExpiry, SessionError } from '../../../src/client/index.js';
import { openSession } from '../../support/client/logged-in.js';
import { errorAnswer, loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';

const ALICE = { username: 'alice', password: 'password' };
const BOB = { username: 'bob', password: 'password' };

describe.each(['got', 'undici'] as const)('with %s, no cookie of an ended session', (transport) => {
  /** Each login sets another session cookie and another one of a balancer. */
  async function start(): Promise<ScriptedPlatform> {
    let logins = 0;
    return startScriptedPlatform({
      '*': ({ path }, response) => {
        if (/^auth\/(?:login|delegate)$/.test(path)) {
          logins += 1;
          const cookies = [`JSESSIONID=session${logins}; Path=/`, `AWSALB=node${logins}; Path=/`];
          response.writeHead(204, { 'X-SVC-AuthToken': `token-${logins}`, 'Set-Cookie': cookies }).end();
        } else if (path === 'auth/logout') response.writeHead(204).end();
        else if (path === 'status') {
          response.writeHead(200, { 'Set-Cookie': 'JSESSIONID=visitor; Path=/' }).end('{}');
        } else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      },
    });
  }
  const cookiesOf = (platform: ScriptedPlatform): (string | undefined)[] =>
    platform.requests.map(({ headers }) => headers.cookie);

  it('is sent by a second login, or held after it', async () => {
    const platform = await start();
    const session = openSession(platform.baseUrl, { transport });
    await session.login(ALICE);
    await session.login(ALICE);
    await session.getSessions();

    expect(cookiesOf(platform)).toEqual([undefined, undefined, 'AWSALB=node2; JSESSIONID=session2']);
  });

  it('is sent by the login or delegation of another user', async () => {
    const platform = await start();
    const session = openSession(platform.baseUrl, { transport });
    await session.login(ALICE);
    await session.login(BOB);
    await session.delegate('identity');
    await session.getSessions();

    expect(cookiesOf(platform)).toEqual([
      ...[undefined, undefined, undefined],
      'AWSALB=node3; JSESSIONID=session3',
    ]);
  });

  it('is sent by what follows a logout, or is in a snapshot of it', async () => {
    const platform = await start();
    const session = openSession(platform.baseUrl, { transport });
    await session.login(ALICE);
    await session.logout();
    const snapshot = session.toDict();
    await session.request('GET', 'projects', { includeAuth: false });
    await session.login(BOB);

    expect(snapshot).toMatchObject({ cookies: [], headers: {} });
    expect(cookiesOf(platform)).toEqual([
      ...[undefined, 'AWSALB=node1; JSESSIONID=session1'],
      ...[undefined, undefined],
    ]);
  });

  it('is sent after its token was discarded, or by a login that follows a visit without a session', async () => {
    const platform = await start();
    const session = openSession(platform.baseUrl, { transport });
    await session.login(ALICE);
    session.destroyAuthToken();
    await session.request('GET', 'status', { includeAuth: false });
    await session.request('GET', 'status', { includeAuth: false });
    await session.login(ALICE);

    expect(cookiesOf(platform)).toEqual([undefined, undefined, 'JSESSIONID=visitor', undefined]);
  });

  it('keeps a login from healing the session when the platform refuses it', async () => {
    let logins = 0;
    const platform = await startScriptedPlatform({
      'POST auth/login': ({ headers }, response) => {
        const isRefused = headers.cookie !== undefined;
        if (isRefused)
          response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"ERR009"}');
        else
          response.writeHead(204, { 'X-SVC-AuthToken': `token-${(logins += 1)}`, 'Set-Cookie': 's=1' }).end();
      },
      'GET sessions': [errorAnswer(401, 'ERR009'), { status: 200, body: {} }],
    });
    const session = openSession(platform.baseUrl, { transport });
    await session.login(ALICE);
    await expect(session.getSessions()).rejects.toThrow(SessionError);
    await session.login(ALICE);

    expect(await session.getSessions()).toEqual({});
  });
});

describe.each(['got', 'undici'] as const)('with %s, an expired session', (transport) => {
  async function failureOf(cookie: string, code = 'ERR009', waitMs = 0): Promise<unknown> {
    let now = Date.UTC(2030, 0, 1);
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer('token', cookie),
      'GET sessions': errorAnswer(401, code),
    });
    const session = openSession(platform.baseUrl, { transport, now: () => now });
    await session.login(ALICE);
    now += waitMs;
    return session.getSessions().catch((error: unknown) => error);
  }

  it.each(['ERR009', 'ERR003'])('is proved by %s to a request with all cookies', async (code) => {
    const error = await failureOf('s=1; Path=/', code);

    expect([isSessionExpired(error), provesExpiry(error)]).toEqual([true, true]);
    expect(error).not.toHaveProperty('cookiesWithheld');
  });

  it.each([
    ['expired by this clock', 's=1; Path=/; Max-Age=300', 300_001],
    ['for another path', 's=1; Path=/other', 0],
    ['for another domain', 's=1; Domain=internal.example', 0],
    ['too long', `s=${'x'.repeat(5000)}`, 0],
    ['malformed', '__Host-s=1; Path=/', 0],
  ])('is not proved when a cookie was withheld: %s', async (_why, cookie, waitMs) => {
    for (const code of ['ERR009', 'ERR003']) {
      const error = await failureOf(cookie, code, waitMs);

      expect([isSessionExpired(error), provesExpiry(error)]).toEqual([true, false]);
      expect(error).toMatchObject({ code, cookiesWithheld: true });
    }
  });

  it('is not proved by an error that is not about the session, or was not sent by the platform', async () => {
    const error = await failureOf('s=1; Path=/other', 'ERR0014');

    expect(provesExpiry(error)).toBe(false);
    expect(error).not.toHaveProperty('cookiesWithheld');
    expect(provesExpiry(new SessionError('no token'))).toBe(false);
    expect(provesExpiry(new LoginFailedError('no', { code: 'ERR003' }))).toBe(false);
  });

  it('is not proved by a session that was restored without a cookie that was dropped', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer('token', 's=1; Path=/other'),
      'GET sessions': errorAnswer(401, 'ERR009'),
    });
    const session = openSession(platform.baseUrl, { transport });
    await session.login(ALICE);
    const restored = openSession(platform.baseUrl, { transport });
    restored.updateFromJson(session.json());

    const error: unknown = await restored.getSessions().catch((thrown: unknown) => thrown);

    expect([isSessionExpired(error), provesExpiry(error)]).toEqual([true, false]);
  });
});
