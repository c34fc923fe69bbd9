import { type ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ForeignRedirectError,
  PlatformHttpError,
  TooManyRedirectsError,
  type PlatformSession,
} from '../../../src/client/index.js';
import { makeCertificate, type Certificate } from '../../support/client/certificate.js';
import { loggedIn, openSession } from '../../support/client/logged-in.js';
import { loginAnswer, redirectTo } from '../../support/embedded-platform/platform-answers.js';
import { head, startRawAnswerServer } from '../../support/embedded-platform/raw-answer-server.js';
import {
  startScriptedPlatform,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';

const STATUSES = [301, 302, 303, 307, 308];
const FOLLOWING: [string, string, (session: PlatformSession) => Promise<unknown>][] = [
  ['POST', 'auth/logout', (session) => session.logout()],
  ['PUT', 'sessions', (session) => session.putSessions()],
  ['GET', 'sessions', (session) => session.getSessions()],
  ['GET', 'sessions/userInfo', (session) => session.getUserInfo()],
  ['GET', 'projects', (session) => session.getProjects()],
];
const LOGINS: typeof FOLLOWING = [
  ['POST', 'auth/login', (session) => session.login({ username: 'user', password: 'password' })],
  ['POST', 'auth/delegate', (session) => session.delegate('identity')],
];

describe.each(['got', 'undici'] as const)('a redirect, by %s,', (transport) => {
  let certificate: Certificate;
  let stranger: ScriptedPlatform;
  beforeAll(async () => {
    certificate = await makeCertificate();
    stranger = await startScriptedPlatform({ '*': { status: 200, body: [] } });
  });

  describe.each(STATUSES)('%d', (status) => {
    it.each(FOLLOWING)('of %s %s is followed within the origin', async (method, path, operation) => {
      const answer =
        path === 'auth/logout' ? { status: 204 } : { status: 200, body: path === 'projects' ? [] : {} };
      const platform = await startScriptedPlatform({
        'POST auth/login': loginAnswer('token-1'),
        [`${method} ${path}`]: {
          status,
          headers: { location: '/other/place?x=1#y', 'set-cookie': 'hop=2; Path=/' },
        },
        '*': answer,
      });
      const session = await loggedIn(platform.baseUrl, { transport });

      await operation(session);

      const isGet = method === 'GET' || status === 303 || (method === 'POST' && status < 303);
      expect(platform.requests.at(-1)).toMatchObject({
        method: isGet ? 'GET' : method,
        headers: { 'x-svc-authtoken': 'token-1', cookie: 'JSESSIONID=one; hop=2' },
      });
      expect(platform.requests).toHaveLength(3);
    });

    it.each(FOLLOWING)(
      'of %s %s to another port is refused, and nothing goes there',
      async (method, path, operation) => {
        const platform = await startScriptedPlatform({
          'POST auth/login': loginAnswer(),
          [`${method} ${path}`]: redirectTo(`${stranger.baseUrl}${path}`, status),
        });
        const session = await loggedIn(platform.baseUrl, { transport });

        await expect(operation(session)).rejects.toThrow(ForeignRedirectError);

        expect(stranger.connections).toBe(0);
        expect(session.hasSession()).toBe(true);
      },
    );

    it.each(FOLLOWING)(
      'of %s %s from https to http is refused, and nothing goes there',
      async (method, path, operation) => {
        const platform = await startScriptedPlatform(
          {
            'POST auth/login': loginAnswer(),
            [`${method} ${path}`]: redirectTo(`${stranger.baseUrl}${path}`, status),
          },
          { tls: certificate },
        );
        const session = await loggedIn(platform.baseUrl, { transport, tlsVerify: certificate.path });

        await expect(operation(session)).rejects.toThrow(ForeignRedirectError);

        expect(stranger.connections).toBe(0);
      },
    );

    it.each(LOGINS)('of %s %s is never followed', async (method, path, operation) => {
      for (const location of [
        '/api/elsewhere',
        `${stranger.baseUrl}${path}`,
        stranger.baseUrl.replace('http:', 'https:'),
      ]) {
        const platform = await startScriptedPlatform({
          [`${method} ${path}`]: redirectTo(location, status),
          '*': loginAnswer(),
        });
        const session = openSession(platform.baseUrl, { transport });

        await expect(operation(session)).rejects.toMatchObject({ constructor: PlatformHttpError, status });

        expect(platform.requests).toHaveLength(1);
        expect(session.hasSession()).toBe(false);
      }
      expect(stranger.connections).toBe(0);
    });
  });

  it('sets the path of a cookie without one, and the URL of the response', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': redirectTo('/api/other/place'),
      'GET other/place': {
        status: 200,
        headers: { 'content-type': 'application/json', 'set-cookie': 'placed=1' },
        body: '{}',
      },
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    const response = await session.request('GET', 'sessions');

    expect(response.url).toBe(`${platform.baseUrl}other/place`);
    expect(session.toDict().cookies).toContainEqual(
      expect.objectContaining({ name: 'placed', path: '/api/other' }),
    );
  });

  it('may happen 30 times in a call, not 31', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': [
        ...Array.from({ length: 30 }, () => redirectTo('sessions')),
        { status: 200, body: {} },
      ],
      'GET projects': redirectTo('projects'),
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    await expect(session.getSessions()).resolves.toEqual({});
    await expect(session.getProjects()).rejects.toThrow(TooManyRedirectsError);

    expect(platform.count('GET sessions')).toBe(31);
    expect(platform.count('GET projects')).toBe(31);
  });

  it.each([0, 1, 5])('may happen as often as configured: %d', async (maxRedirects) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      '*': redirectTo('projects'),
    });
    const session = await loggedIn(platform.baseUrl, { transport, maxRedirects });

    await expect(session.getProjects()).rejects.toThrow(TooManyRedirectsError);

    expect(platform.count('GET projects')).toBe(maxRedirects + 1);
  });

  it.each([
    'unix:/var/run/x:/',
    'http://unix:/var/run/x',
    'file:///etc/passwd',
    '//127.0.0.1:9/x',
    'javascript:1',
  ])('to %s is rejected', async (location) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      '*': redirectTo(location),
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    await expect(session.getProjects()).rejects.toThrow(ForeignRedirectError);

    expect(platform.requests).toHaveLength(2);
  });

  it('with user information is rejected, even to the same origin', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      '*': (_request, response) => {
        const location = `http://user:secret@${response.req.headers.host ?? ''}/api/projects`;
        response.writeHead(302, { location }).end();
      },
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    await expect(session.getProjects()).rejects.toThrow(ForeignRedirectError);
  });

  it('without a location, or to an invalid URL, is a protocol error', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': { status: 302 },
      'GET sessions': redirectTo('http://['),
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    await expect(session.getProjects()).rejects.toMatchObject({
      constructor: PlatformHttpError,
      status: 302,
    });
    await expect(session.getSessions()).rejects.toThrow(PlatformHttpError);
  });

  it.each([
    ['UTF-8', '/api/caf\xc3\xa9', '/api/caf%C3%A9'],
    ['UTF-8 beside an escape', '/api/%C3%A9\xc3\xa9?q=\xe2\x82\xac', '/api/%C3%A9%C3%A9?q=%E2%82%AC'],
    ['Latin-1', '/api/caf\xe9', '/api/caf%E9'],
    ['no raw bytes', '/api/caf%C3%A9', '/api/caf%C3%A9'],
  ])('whose location has bytes of %s goes to exactly these', async (_kind, location, target) => {
    const { baseUrl, requests } = await startRawAnswerServer({
      'GET sessions': { parts: head('HTTP/1.1 302 Found', `Location: ${location}`, 'Content-Length: 0') },
      '*': { parts: head('HTTP/1.1 204 No Content') },
    });

    await openSession(baseUrl, { transport }).request('GET', 'sessions', { includeAuth: false });

    expect(requests.map((request) => request.target)).toEqual(['/api/sessions', target]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['drips', (response) => void response.writeHead(302, { location: 'other' }).write('<p>')],
    [
      'is announced and does not come',
      (response) => {
        response.writeHead(302, { location: 'other', 'content-length': '100' }).flushHeaders();
      },
    ],
    [
      'is too large',
      (response) => void response.writeHead(302, { location: 'other' }).end('x'.repeat(5_000_000)),
    ],
    [
      'is labeled gzip and is not',
      (response) =>
        void response.writeHead(302, { location: 'other', 'content-encoding': 'gzip' }).end('nothing'),
    ],
  ])('is followed whatever its body does: it %s', async (_what, answer) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': (_request, response) => {
        answer(response);
      },
      'GET other': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl, { transport });

    await expect(session.getSessions()).resolves.toEqual({});

    expect(platform.count('GET sessions')).toBe(1);
  });

  it('of a login fails without waiting for its body', async () => {
    const platform = await startScriptedPlatform({
      '*': (_request, response) => void response.writeHead(302, { location: '/sso' }).write('<p>'),
    });

    await expect(openSession(platform.baseUrl, { transport }).login()).rejects.toMatchObject({
      kind: 'protocol',
      status: 302,
    });
    expect(platform.requests).toHaveLength(1);
  });
});
