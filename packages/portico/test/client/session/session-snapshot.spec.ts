import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PlatformClient, PlatformSession, SessionError } from '../../../src/client/index.js';
import { loggedIn, openSession } from '../../support/client/logged-in.js';
import { loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';

const BASE = 'http://127.0.0.1:9/api/';
const WHOLE = {
  base_url: BASE,
  cookies: [
    {
      name: 'JSESSIONID',
      value: 'one',
      domain: '127.0.0.1',
      path: '/',
      hostOnly: true,
      secure: false,
      httpOnly: true,
    },
  ],
  headers: { 'X-SVC-AuthToken': 'token-1' },
};

describe('a snapshot', () => {
  it('contains exactly the base URL, the complete cookies, and the headers with the token', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': {
        status: 204,
        headers: {
          'X-SVC-AuthToken': 'token-1',
          'X-SVC-Total-Count': '3',
          'Set-Cookie': 'JSESSIONID=one; Path=/api; HttpOnly; SameSite=Lax; Max-Age=60',
        },
      },
    });
    const session = await loggedIn(platform.baseUrl, { now: () => Date.UTC(2030, 0, 1) });

    expect(session.toDict()).toEqual({
      base_url: platform.baseUrl,
      cookies: [
        {
          name: 'JSESSIONID',
          value: 'one',
          domain: '127.0.0.1',
          path: '/api',
          hostOnly: true,
          secure: false,
          httpOnly: true,
          sameSite: 'lax',
          expires: '2030-01-01T00:01:00.000Z',
        },
      ],
      headers: { 'X-SVC-AuthToken': 'token-1', 'x-svc-total-count': '3' },
    });
    expect(session.dict()).toEqual(session.toDict());
    expect(JSON.parse(session.json())).toEqual(session.toDict());
  });

  it('restores a session that continues where the other stopped', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer('token-1'),
      'GET sessions': { status: 200, body: {} },
    });
    const saved = (await loggedIn(platform.baseUrl)).json();

    const restored = openSession(platform.baseUrl);
    restored.updateFromJson(saved);
    await restored.getSessionInfo();

    expect(platform.requests[1]?.headers).toMatchObject({
      'x-svc-authtoken': 'token-1',
      cookie: 'JSESSIONID=one',
    });
    expect(restored.json()).toBe(saved);
  });

  it('shows its values only in JSON.stringify', () => {
    const snapshot = PlatformSession.fromDict(WHOLE).toDict();

    expect(JSON.stringify(snapshot)).toContain('token-1');
    expect(inspect({ snapshot, parts: [snapshot.headers, snapshot.cookies] })).not.toMatch(/token-1|one/);
    expect(String(snapshot as unknown)).toBe('[SessionSnapshot]');
    expect(Object.keys(snapshot)).toEqual(['base_url', 'cookies', 'headers']);
  });

  it('accepts a plain map of cookies and a token header in any letter case', () => {
    const session = PlatformSession.fromDict({
      base_url: 'http://127.0.0.1:9/api',
      cookies: { JSESSIONID: 'one' },
      headers: { 'x-svc-authtoken': 'token-1', 'User-Agent': 'other' },
    });

    expect(session.hasSession()).toBe(true);
    expect(session.toDict().headers).toEqual({ 'X-SVC-AuthToken': 'token-1' });
    expect(session.toDict().cookies).toMatchObject([
      { name: 'JSESSIONID', value: 'one', domain: '127.0.0.1', hostOnly: true },
    ]);
  });

  it.each([
    ['no JSON', 'token-1 {'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no base_url', JSON.stringify({ cookies: {}, headers: {} })],
    ['no cookies', JSON.stringify({ base_url: BASE, headers: {} })],
    ['no headers', JSON.stringify({ base_url: BASE, cookies: {} })],
    ['a base URL of another scheme', JSON.stringify({ ...WHOLE, base_url: 'file:///etc/' })],
    ['a base URL with a user', JSON.stringify({ ...WHOLE, base_url: 'http://u:p@127.0.0.1:9/api' })],
    ['another base URL', JSON.stringify({ ...WHOLE, base_url: 'http://169.254.169.254/' })],
    ['a malformed token', JSON.stringify({ ...WHOLE, headers: { 'X-SVC-AuthToken': 'a\r\nb' } })],
    [
      'a foreign cookie',
      JSON.stringify({ ...WHOLE, cookies: [{ ...WHOLE.cookies[0], domain: 'example.com' }] }),
    ],
    ['a cookie that lacks its path', JSON.stringify({ ...WHOLE, cookies: [{ name: 'a', value: 'b' }] })],
    ['a cookie that cannot be sent', JSON.stringify({ ...WHOLE, cookies: { a: 'b\r\nX-Evil: 1' } })],
    [
      'too many cookies',
      JSON.stringify({
        ...WHOLE,
        cookies: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`c${i}`, 'v'])),
      }),
    ],
  ])('with %s is a session error and changes nothing', (_name, text) => {
    const session = PlatformSession.fromDict(WHOLE);
    const before = session.json();

    expect(() => {
      session.updateFromJson(text);
    }).toThrow(SessionError);

    expect(session.json()).toBe(before);
  });

  it('of another vendor is rejected, and so is one that was made for it', () => {
    expect(() => PlatformSession.fromDict(WHOLE, { vendor: 'Other' })).toThrow(SessionError);
    expect(() => PlatformSession.fromDict(WHOLE, { vendor: 'Other' })).toThrow('token of another vendor');
  });

  it('of another base URL is accepted with acceptOtherBaseUrl', () => {
    const session = new PlatformSession('http://127.0.0.1:8/api');

    session.updateFromJson(WHOLE, { acceptOtherBaseUrl: true });

    expect(session.baseUrl).toBe(BASE);
  });

  it('of another base URL is rejected by a client', async () => {
    await using client = new PlatformClient({ baseUrl: 'http://127.0.0.1:8/api' });

    expect(() => client.restoreSession(WHOLE)).toThrow(SessionError);
    expect(
      client.restoreSession(JSON.stringify({ ...WHOLE, base_url: 'http://127.0.0.1:8/api' })).hasSession(),
    ).toBe(true);
  });
});
