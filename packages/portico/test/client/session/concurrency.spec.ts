import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { PlatformClient, SessionError, type PlatformSession } from '../../../src/client/index.js';
import { eventually } from '../../support/eventually.js';
import { gate, type Gate } from '../../support/gate.js';
import { loggedIn, openSession } from '../../support/client/logged-in.js';
import { loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../../support/embedded-platform/scripted-platform.js';

/** An answer that waits at a gate, then brings a token and a cookie of its own. */
function late(held: Gate, token: string): ScriptedAnswer {
  return async (_request, response) => {
    await held.passed;
    response.writeHead(200, {
      'content-type': 'application/json',
      'X-SVC-AuthToken': token,
      'X-SVC-Late': 'yes',
      'Set-Cookie': `JSESSIONID=${token}; Path=/`,
    });
    response.end('{}');
  };
}

describe('a late response', () => {
  it('restores nothing after a logout', async () => {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
      'GET sessions': late(held, 'late'),
    });
    const session = await loggedIn(platform.baseUrl);

    const reading = session.getSessions();
    await eventually(() => platform.count('GET sessions') === 1);
    await session.logout();
    const before = session.json();
    held.open();
    await reading;

    expect(session.hasSession()).toBe(false);
    expect(session.json()).toBe(before);
  });

  it('does not affect a newer login', async () => {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': [loginAnswer('first'), loginAnswer('second', 'JSESSIONID=second; Path=/')],
      'GET sessions': late(held, 'first'),
    });
    const session = await loggedIn(platform.baseUrl);

    const reading = session.getSessions();
    await eventually(() => platform.count('GET sessions') === 1);
    await session.login();
    held.open();
    await reading;

    expect(session.toDict()).toMatchObject({
      headers: { 'X-SVC-AuthToken': 'second' },
      cookies: [{ value: 'second' }],
    });
  });

  it('does not affect a state restored during the call', async () => {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': late(held, 'late'),
    });
    const session = await loggedIn(platform.baseUrl);
    const saved = { base_url: platform.baseUrl, cookies: {}, headers: { 'X-SVC-AuthToken': 'restored' } };

    const reading = session.getSessions();
    await eventually(() => platform.count('GET sessions') === 1);
    session.updateFromJson(saved);
    held.open();
    await reading;

    expect(session.toDict()).toEqual({ ...saved, cookies: [] });
  });

  it.each<[string, (session: PlatformSession) => unknown]>([
    ['a logout', (session) => session.logout()],
    ['a logout and the login of another', (session) => session.logout().then(() => session.login())],
    ['the login of another', (session) => session.login()],
    ['a delegated login', (session) => session.delegate('identity')],
    [
      'a restored session',
      (session) => {
        session.updateFromJson({
          base_url: session.baseUrl,
          cookies: {},
          headers: { 'X-SVC-AuthToken': 'B' },
        });
      },
    ],
  ])("does not leave one user's projects to the next after %s", async (_name, replace) => {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/delegate': loginAnswer(),
      'POST auth/logout': { status: 204 },
      'GET projects': async (_request, response) => {
        await held.passed;
        response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":"A","name":"Sales"}]');
      },
    });
    const session = await loggedIn(platform.baseUrl);

    const loading = expect(session.loadProjects()).rejects.toThrow(SessionError);
    await eventually(() => platform.count('GET projects') === 1);
    await replace(session);
    held.open();

    await loading;
    expect(() => session.getProjectId('Sales')).toThrow(SessionError);
  });

  it('of a logout does not drop the token of a newer login', async () => {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': [loginAnswer('first'), loginAnswer('second')],
      'POST auth/logout': async (_request, response) => {
        await held.passed;
        response.writeHead(204).end();
      },
    });
    const session = await loggedIn(platform.baseUrl);

    const leaving = session.logout();
    await eventually(() => platform.count('POST auth/logout') === 1);
    await session.login();
    held.open();
    await leaving;

    expect(session.toDict().headers).toHaveProperty('X-SVC-AuthToken', 'second');
  });

  it.each<[string, (session: PlatformSession) => unknown]>([
    [
      'destroyAuthToken',
      (session) => {
        session.destroyAuthToken();
      },
    ],
    ['close', (session) => session.close()],
    [
      'a restore',
      (session) => {
        session.updateFromJson({ base_url: session.baseUrl, cookies: {}, headers: {} });
      },
    ],
  ])('to a login starts no session after %s, and is logged out at the platform', async (_name, end) => {
    const held = gate();
    const platform = await startScriptedPlatform({
      'POST auth/login': async (_request, response) => {
        await held.passed;
        const headers = { 'X-SVC-AuthToken': 'late', 'Set-Cookie': 'JSESSIONID=late; Path=/' };
        response.writeHead(204, headers).end();
      },
      'POST auth/logout': { status: 204 },
    });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl });
    const session = client.openSession();

    const login = expect(session.login()).rejects.toThrow(SessionError);
    await eventually(() => platform.count('POST auth/login') === 1);
    await end(session);
    held.open();
    await login;

    expect(session.hasSession()).toBe(false);
    expect(session.toDict().cookies).toEqual([]);
    expect(platform.requests.at(-1)).toMatchObject({
      path: 'auth/logout',
      headers: { 'x-svc-authtoken': 'late', cookie: 'JSESSIONID=late' },
    });
  });

  it('never revives a session, whatever the order of responses, logins and logouts', async () => {
    const script: Record<string, ScriptedAnswer> = { 'POST auth/logout': { status: 204 } };
    const platform = await startScriptedPlatform(script);
    const step = fc.constantFrom('read', 'release', 'login', 'logout');

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const session = openSession(platform.baseUrl);
        const reads: { held: Gate; done: Promise<unknown> }[] = [];
        let logins = 0;
        let expected: string | undefined;
        for (const next of steps) {
          if (next === 'login') {
            expected = `token-${(logins += 1)}`;
            script['POST auth/login'] = loginAnswer(expected, `JSESSIONID=${expected}; Path=/`);
            await session.login();
          } else if (next === 'logout' && expected !== undefined) {
            expected = undefined;
            await session.logout();
          } else if (next === 'read' && expected !== undefined) {
            const held = gate();
            const seen = platform.requests.length;
            script['GET sessions'] = late(held, expected);
            reads.push({ held, done: session.getSessions() });
            await eventually(() => platform.requests.length > seen);
          } else if (next === 'release') {
            const read = reads.shift();
            read?.held.open();
            await read?.done;
          }
        }
        for (const { held, done } of reads) {
          held.open();
          await done;
        }

        const { headers, cookies } = session.toDict();
        expect(headers['X-SVC-AuthToken']).toBe(expected);
        if (expected !== undefined) expect(cookies).toMatchObject([{ value: expected }]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('concurrent use of one session', () => {
  it('keeps the token and cookie of one login together', async () => {
    const answers = Array.from({ length: 20 }, (_, nth): ScriptedAnswer => (_request, response) => {
      setTimeout(() => {
        response
          .writeHead(204, { 'X-SVC-AuthToken': `t${nth}`, 'Set-Cookie': `JSESSIONID=t${nth}; Path=/` })
          .end();
      }, Math.random() * 20);
    });
    const platform = await startScriptedPlatform({ 'POST auth/login': answers });
    const session = openSession(platform.baseUrl);

    await Promise.all(answers.map(() => session.login()));

    const { headers, cookies } = session.toDict();
    expect(cookies[0]?.value).toBe(headers['X-SVC-AuthToken']);
  });

  it('gives each of 300 calls its own response', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET things': (request, response) => {
        setTimeout(() => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ path: request.path, project: request.headers['x-svc-projectid'] }));
        }, Math.random() * 10);
      },
    });
    const session = await loggedIn(platform.baseUrl);

    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, nth) =>
        (await session.request('GET', `things?n=${nth}`, { projectId: `P${nth}` })).json(),
      ),
    );

    expect(answers).toEqual(
      Array.from({ length: 300 }, (_, nth) => ({ path: `things?n=${nth}`, project: `P${nth}` })),
    );
  });

  it('uses a token renewed by a successful response for later calls', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer('old'),
      'PUT sessions': { status: 204, headers: { 'X-SVC-AuthToken': 'new' } },
      'GET sessions': { status: 200, body: {} },
      'GET projects': { status: 403, headers: { 'X-SVC-AuthToken': 'evil' }, body: { code: 'ERR014' } },
    });
    const session = await loggedIn(platform.baseUrl);

    await session.extendSession();
    await session.getProjects().catch(() => undefined);
    await session.getSessions();

    expect(platform.requests.at(-1)?.headers['x-svc-authtoken']).toBe('new');
  });
});
