import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PlatformSession } from '../../../src/client/index.js';
import { loggedIn, openSession, sessionWithToken } from '../../support/client/logged-in.js';
import { loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';

const BASE = 'http://127.0.0.1:9/api/';

describe('a session object', () => {
  it('shows its place and whether it holds a session, and no secret', () => {
    const session = sessionWithToken(BASE);

    expect(JSON.stringify({ session })).toBe(`{"session":{"baseUrl":"${BASE}","hasSession":true}}`);
    expect(inspect(session)).toBe(`PlatformSession { baseUrl: '${BASE}', hasSession: true }`);
    expect(JSON.stringify(openSession(BASE))).toBe(`{"baseUrl":"${BASE}","hasSession":false}`);
  });

  it('counts the cookies of its session that it rejected', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': [loginAnswer('token-1', 'foreign=1; Domain=example.com'), loginAnswer('token-2')],
    });
    const session = await loggedIn(platform.baseUrl);

    expect(session.droppedCookies).toBe(1);
    await session.login();
    expect(session.droppedCookies).toBe(0);
  });

  it('has another revision whenever its state may have changed, and only then', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': { status: 200, body: {} },
      'PUT sessions': { status: 204, headers: { 'X-SVC-AuthToken': 'token-2' } },
    });
    const session = openSession(platform.baseUrl);
    const revisions = [session.revision];
    const note = (): void => void revisions.push(session.revision);
    await session.login();
    note();
    await session.extendSession();
    note();
    const renewed = session.json();
    session.destroyAuthToken();
    note();
    session.updateFromJson(renewed);
    note();
    expect(new Set(revisions).size).toBe(5);

    await session.getSessions();
    note();
    expect(revisions[5]).toBe(revisions[4]);
  });

  it('is closed at the end of its scope, and makes no call any more', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 204 } });
    let left: PlatformSession;
    {
      await using session = new PlatformSession(platform.baseUrl);
      left = session;
    }

    const closed = { kind: 'session-closed', message: 'This session object is closed.' };
    await expect(left.request('GET', 'things', { includeAuth: false })).rejects.toMatchObject(closed);
    await expect(left.login()).rejects.toMatchObject(closed);
    expect(platform.connections).toBe(0);
  });
});
