import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  LoginFailedError,
  MissingCredentialError,
  PlatformHttpError,
  type LoginCredentials,
} from '../../../src/client/index.js';
import { openSession } from '../../support/client/logged-in.js';
import { errorAnswer, loginAnswer, redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type ScriptedAnswer,
} from '../../support/embedded-platform/scripted-platform.js';

describe('login', () => {
  it.each([
    [
      { username: 'u', password: 'p' },
      { username: 'u', password: 'p', loginMode: 1, applicationType: 8 },
    ],
    [
      { username: 'u', password: 'p', apiKey: 'k' },
      { username: 'u', password: 'p', loginMode: 1, applicationType: 8 },
    ],
    [
      { username: 'u', password: '' },
      { username: 'u', password: '', loginMode: 1, applicationType: 8 },
    ],
    [
      { username: 'u', password: 'p', mode: 'ldap' as const },
      { username: 'u', password: 'p', loginMode: 16, applicationType: 8 },
    ],
    [
      { username: 'u', password: 'p', mode: 'standard' as const },
      { username: 'u', password: 'p', loginMode: 1, applicationType: 8 },
    ],
    [{ apiKey: 'k' }, { username: 'k', loginMode: 4096, applicationType: 8 }],
    [
      { username: 'u', apiKey: 'k' },
      { username: 'k', loginMode: 4096, applicationType: 8 },
    ],
    [{ username: 'u' }, { username: 'u', loginMode: 4096, applicationType: 8 }],
    [{}, { loginMode: 8, applicationType: 8 }],
    [
      { password: 'p', apiKey: 'k' },
      { username: 'k', loginMode: 4096, applicationType: 8 },
    ],
    [
      { username: null, password: null, apiKey: null },
      { loginMode: 8, applicationType: 8 },
    ],
    [{ applicationType: 35 }, { loginMode: 8, applicationType: 35 }],
  ])('sends %j as %j', async (credentials, body) => {
    const platform = await startScriptedPlatform({ 'POST auth/login': loginAnswer() });

    await openSession(platform.baseUrl).login(credentials);

    expect(JSON.parse(platform.requests[0]?.body ?? '')).toEqual(body);
    expect(platform.requests[0]?.headers['content-type']).toBe('application/json');
  });

  it.each<[unknown]>([
    ['user'],
    [null],
    [5],
    [['user', 'password']],
    [{ password: 'p' }],
    [{ username: null, password: '' }],
    [{ username: 5, password: 'p' }],
    [{ apiKey: () => 'k' }],
    [{ mode: 'ldap' }],
    [{ mode: 'ldap', username: 'u' }],
    [{ mode: 'ldap', apiKey: 'k' }],
    [{ mode: 'LDAP', username: 'u', password: 'p' }],
    [{ mode: 16, username: 'u', password: 'p' }],
    [{ applicationType: '8' }],
    [{ applicationType: 1.5 }],
    [{ api_key: 'k' }],
    [{ identityToken: 'i' }],
  ])('rejects %j before any request instead of logging in anonymously', async (credentials) => {
    const platform = await startScriptedPlatform({ '*': loginAnswer() });

    const login = openSession(platform.baseUrl).login(credentials as LoginCredentials);

    await expect(login).rejects.toThrow(InvalidRequestError);
    expect(platform.connections).toBe(0);
  });

  it('holds the token and the cookies after 204 and sends both with later calls', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': {
        status: 204,
        headers: [
          'x-svc-authtoken',
          'abc',
          'Set-Cookie',
          'JSESSIONID=1; Path=/',
          'Set-Cookie',
          'LB=2; Path=/',
        ],
      },
      'GET sessions': { status: 200, body: {} },
    });
    const session = openSession(platform.baseUrl);

    await session.postLogin();
    await session.getSessionInfo();

    expect(session.hasSession()).toBe(true);
    expect(platform.requests[1]?.headers).toMatchObject({
      'x-svc-authtoken': 'abc',
      cookie: 'JSESSIONID=1; LB=2',
    });
  });

  it('uses the configured vendor segment', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': { status: 204, headers: { 'x-mstr-authtoken': 'abc' } },
      'GET sessions': { status: 200, body: {} },
    });
    const session = openSession(platform.baseUrl, { vendor: 'MSTR' });

    await session.login();
    await session.getSessionInfo();

    expect(platform.requests[1]?.headers['x-mstr-authtoken']).toBe('abc');
  });

  it.each<[string, ScriptedAnswer]>([
    ['200 with a token', { status: 200, headers: { 'X-SVC-AuthToken': 'abc' }, body: {} }],
    ['204 without a token', { status: 204 }],
    ['204 with two tokens', { status: 204, headers: ['X-SVC-AuthToken', 'a', 'X-SVC-AuthToken', 'b'] }],
    ['204 with an empty token', { status: 204, headers: { 'X-SVC-AuthToken': '' } }],
    ['204 with a token of 257 characters', { status: 204, headers: { 'X-SVC-AuthToken': 'a'.repeat(257) } }],
    ['204 with a token with a space', { status: 204, headers: { 'X-SVC-AuthToken': 'a b' } }],
    [
      'an HTML error',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
    ],
    ['a redirect within the origin', redirectTo('/api/elsewhere')],
  ])('fails on %s and holds nothing', async (_name, answer) => {
    const platform = await startScriptedPlatform({ 'POST auth/login': answer, '*': loginAnswer() });
    const session = openSession(platform.baseUrl);

    await expect(session.login()).rejects.toThrow(PlatformHttpError);

    expect(session.hasSession()).toBe(false);
    expect(session.toDict().cookies).toEqual([]);
    expect(platform.requests).toHaveLength(1);
  });

  it('fails by the code of the response', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': errorAnswer(401, 'ERR003', 'Login failed', { iServerCode: -2147216959 }),
    });

    await expect(
      openSession(platform.baseUrl).login({ username: 'u', password: 'wrong' }),
    ).rejects.toMatchObject({
      constructor: LoginFailedError,
      code: 'ERR003',
      message: 'Login failed',
      status: 401,
      iserverCode: '-2147216959',
      iserverMessage: expect.stringContaining('AUTHEN_E_LOGIN_FAIL'),
      ticketId: '0123456789abcdef0123456789abcdef',
      retryable: false,
    });
  });

  it('fails by the code of the response even with a 2xx status', async () => {
    const platform = await startScriptedPlatform({
      '*': { status: 200, body: { code: 'ERR003', message: 'no' } },
    });

    await expect(openSession(platform.baseUrl).login()).rejects.toMatchObject({
      constructor: LoginFailedError,
      code: 'ERR003',
      status: 200,
    });
  });

  it('reports that only 204 starts a session when another 2xx status has no code', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: {} } });

    await expect(openSession(platform.baseUrl).login()).rejects.toThrow(
      'HTTP 200; only 204 starts a session',
    );
  });

  it('is not retried when the connection breaks', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': (_request, response) => void response.destroy(),
    });

    await expect(openSession(platform.baseUrl).login()).rejects.toMatchObject({ reason: 'CONNECT' });

    expect(platform.requests).toHaveLength(1);
  });

  it('that fails leaves the current session unchanged', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': [
        loginAnswer('first'),
        {
          status: 401,
          headers: { 'Set-Cookie': 'JSESSIONID=other; Path=/' },
          body: { code: 'ERR003', message: 'no' },
        },
      ],
    });
    const session = openSession(platform.baseUrl);
    await session.login();
    const before = session.json();

    await expect(session.login()).rejects.toThrow(LoginFailedError);

    expect(session.json()).toBe(before);
  });
});

describe('delegate', () => {
  it('sends mode -1 with the identity token, and no application type', async () => {
    const platform = await startScriptedPlatform({ 'POST auth/delegate': loginAnswer() });
    const session = openSession(platform.baseUrl);

    await session.delegate('identity');

    expect(JSON.parse(platform.requests[0]?.body ?? '')).toEqual({
      loginMode: -1,
      identityToken: 'identity',
    });
    expect(session.hasSession()).toBe(true);
  });

  it.each<[unknown]>([[''], [undefined], [null], [5], [{ identityToken: 'identity' }]])(
    'refuses %j as identity token before any request',
    async (token) => {
      const platform = await startScriptedPlatform({ '*': loginAnswer() });

      const login = openSession(platform.baseUrl).delegate(token as string);

      await expect(login).rejects.toThrow(MissingCredentialError);
      expect(platform.connections).toBe(0);
    },
  );

  it.each([['a\r\nX-Evil: 1'], ['\0'], ['日本'], ['x'.repeat(10_240)]])(
    'refuses %j as an identity token, which no header could have brought, before any request',
    async (token) => {
      const platform = await startScriptedPlatform({ '*': loginAnswer() });

      await expect(openSession(platform.baseUrl).delegate(token)).rejects.toThrow(InvalidRequestError);
      expect(platform.connections).toBe(0);
    },
  );
});
