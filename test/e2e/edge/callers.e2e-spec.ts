import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHandle } from '../../../src/session/handle.js';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';
import { rawExchange } from '../../../packages/portico/test/support/raw-exchange.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const COOKIE = '__Host-portico';
const PAGE = 'https://page.example';
const ME = '{ me { fullName } }';
const LOGIN = 'mutation { login(input: {username: "demo", password: "demo"}) { handle } }';

describe('a caller with two handles, an expired one, or a foreign token', () => {
  let app: TestApp;
  beforeAll(async () => (app = await startApp({ CORS_ORIGINS: PAGE, CORS_HEADERS: 'baggage,sentry-trace' })));
  afterAll(() => app.close());

  const cookieOf = async (): Promise<string> =>
    String((await app.graphql(LOGIN)).headers.getSetCookie()[0]?.split(';')[0]);
  const setCookies = ({ headers }: Answer): string[] => headers.getSetCookie();
  const reason = ({ errors }: Answer): unknown => errors?.[0]?.extensions.reason;

  it('is known by the bearer handle when a cookie comes as well, and the cookie stays', async () => {
    const cookie = await cookieOf();
    const handle = await bearerHandle(app.graphql, { username: 'many-projects' });
    const name = async (headers: Record<string, string>): Promise<unknown> =>
      (await app.graphql(ME, { headers })).data.me.fullName;
    const authorization = `Bearer ${handle}`;
    expect(await name({ authorization, cookie })).toBe(await name({ authorization }));
    expect(await name({ authorization, cookie })).not.toBe(await name({ cookie }));
    const ended = await app.graphql('mutation { logout { loggedOut } }', {
      headers: { authorization, cookie },
    });
    expect(ended.data).toEqual({ logout: { loggedOut: true } });
    expect(setCookies(ended)).toEqual([]);
    expect(await name({ cookie })).toEqual(expect.any(String));
  });

  it('has no session when the bearer handle is dead, whatever the cookie says', async () => {
    const headers = { authorization: `Bearer ${newHandle()}`, cookie: await cookieOf() };
    const answer = await app.graphql(ME, { headers });
    expect(reason(answer)).toBe('NO_SESSION');
    expect(setCookies(answer)).toEqual([]);
  });

  it.each([
    ['opens nothing', newHandle()],
    ['cannot be a handle', 'x'],
  ])('loses a cookie that %s with the next answer', async (_what, value) => {
    const answer = await app.graphql('{ hasSession }', { headers: { cookie: `${COOKIE}=${value}` } });
    expect(answer.data).toEqual({ hasSession: false });
    expect(setCookies(answer)).toEqual([
      expect.stringMatching(/^__Host-portico=;.*Expires=Thu, 01 Jan 1970/),
    ]);
  });

  it('gets a new cookie by a login that is sent with an expired one', async () => {
    const headers = { cookie: `${COOKIE}=${newHandle()}`, 'sec-fetch-site': 'same-origin' };
    const [cookie = ''] = setCookies(await app.graphql(LOGIN, { headers }));
    expect(cookie).toMatch(/^__Host-portico=[\w-]{43};/);
  });

  it('is told when the bearer token is not a handle of this service', async () => {
    const answer = await app.graphql(ME, { handle: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln' });
    expect(reason(answer)).toBe('NO_SESSION');
    expect(answer.errors?.[0]?.message).toContain('SESSION_HEADER');
    expect(answer.errors?.[0]?.message).toContain('bearer token');
    expect(answer.text).not.toContain('eyJ');
    expect((await app.graphql(ME, { handle: newHandle() })).errors?.[0]?.message).not.toContain(
      'SESSION_HEADER',
    );
  });

  it('learns at the login that a page of another site never gets its cookie back', async () => {
    const headers = { origin: PAGE, 'sec-fetch-site': 'cross-site' };
    const refused = await app.graphql(LOGIN, { headers });
    expect(refused.errors?.[0]).toMatchObject({
      message: expect.stringContaining('transport: BEARER'),
      extensions: { code: 'FORBIDDEN', reason: 'CROSS_SITE_COOKIE', retryable: false },
    });
    expect(setCookies(refused)).toEqual([]);
    const bearer = LOGIN.replace('password', 'transport: BEARER, password');
    expect((await app.graphql(bearer, { headers })).data.login.handle).toEqual(expect.any(String));
    expect(
      (await app.graphql(LOGIN, { headers: { ...headers, 'sec-fetch-site': 'same-site' } })).data.login,
    ).toEqual({ handle: null });
  });

  it('may send the headers of CORS_HEADERS from a page', async () => {
    const preflight = await fetch(`${app.url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin: PAGE, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/\bbaggage\b.*\bsentry-trace\b/);
  });
});

describe('a service without ALLOWED_HOSTS', () => {
  const ask = (
    app: TestApp,
    host: string | undefined,
    path = '/graphql?query={hasSession}',
  ): Promise<string> => {
    const [version, line] = host === undefined ? ['1.0', ''] : ['1.1', `host: ${host}\r\n`];
    return rawExchange(app.url, `GET ${path} HTTP/${version}\r\n${line}connection: close\r\n\r\n`);
  };

  it.each(['127.0.0.1', 'localhost', '::1'])(
    'on %s answers under the names of loopback only',
    async (HOST) => {
      const app = await startApp({ HOST });
      for (const host of [
        'localhost',
        'LOCALHOST:1',
        '127.0.0.1:3000',
        '127.8.9.10',
        '[::1]',
        '[::1]:65535',
        undefined,
      ]) {
        expect(await ask(app, host)).toMatch(/^HTTP\/1.1 200 /);
      }
      for (const host of [
        'evil.example',
        'evil.example:3000',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        '128.0.0.1',
        '0.0.0.0',
        '[::2]',
        'notlocalhost',
      ]) {
        const refused = await ask(app, host);
        expect(refused).toMatch(/^HTTP\/1.1 400 /);
        expect(refused).toContain('"message":"The request is for a Host that is not allowed"');
      }
      expect(await ask(app, 'evil.example', '/livez')).toMatch(/^HTTP\/1.1 200 /);
      expect(await ask(app, 'evil.example', '/')).toMatch(/^HTTP\/1.1 400 /);
      await app.close();
    },
  );

  it('takes no login from a page that has pointed its own name to this machine', async () => {
    const app = await startApp();
    const body = JSON.stringify({ query: 'mutation { login { handle } }' });
    const head = ['host: evil.example', 'origin: http://evil.example', 'content-type: application/json'];
    const answer = await rawExchange(
      app.url,
      `POST /graphql HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).not.toMatch(/set-cookie/i);
    await app.close();
  });

  it.each(['0.0.0.0', '::', '192.0.2.7'])('on %s answers under any name', async (HOST) => {
    const app = await startApp({ HOST });
    expect(await ask(app, 'evil.example')).toMatch(/^HTTP\/1.1 200 /);
    await app.close();
  });
});

describe('a service with ALLOWED_HOSTS', () => {
  it('answers under these names, and to probes under any', async () => {
    const app = await startApp({ ALLOWED_HOSTS: 'graph.example,localhost' });
    const ask = (host: string, path = '/graphql?query={hasSession}'): Promise<string> =>
      rawExchange(app.url, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(await ask('graph.example')).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('Graph.Example:8443')).toMatch(/^HTTP\/1.1 200 /);
    const refused = await ask('evil.example');
    expect(refused).toMatch(/^HTTP\/1.1 400 /);
    expect(refused).toContain('"message":"The request is for a Host that is not allowed"');
    expect(await ask('10.1.2.3', '/livez')).toMatch(/^HTTP\/1.1 200 /);
    // For a proxy in front, and by RFC 9112, the host of such a request is the one in its URL.
    expect(await ask('graph.example', 'http://graph.example/livez')).toMatch(/^HTTP\/1.1 200 /);
    const twoHosts = await ask('graph.example', 'http://evil.example/graphql?query={hasSession}');
    expect(twoHosts).toMatch(/^HTTP\/1.1 400 /);
    expect(twoHosts).toContain('"message":"The URL of the request names another host than its Host header"');
    await app.close();
  });
});
