import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import {
  type RecordingPlatform,
  startRecordingPlatform,
} from '../../support/embedded-platform/recording-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const ORIGIN = 'https://good.example';
const LOGIN = 'mutation { login(input: {username: "demo", password: "demo"}) { expiresAt } }';
const LOGOUT = 'mutation { logout { loggedOut } }';

describe('an origin', () => {
  let platform: RecordingPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startRecordingPlatform();
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      CORS_ORIGINS: `${ORIGIN}, http://localhost:5173`,
    });
  });
  afterAll(async () => {
    await app.close();
    await platform.close();
  });

  const preflight = (origin: string): Promise<Response> =>
    fetch(`${app.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
  const corsHeaders = ({ headers }: Response): string[] =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  const cookieOf = async (): Promise<string> => {
    const { headers } = await app.graphql(LOGIN, { headers: { origin: ORIGIN } });
    expect(headers.getSetCookie()).toHaveLength(1);
    return String(headers.getSetCookie()[0]?.split(';')[0]);
  };

  it('on the list may ask with credentials, and caches keep its answers apart', async () => {
    const asked = await preflight(ORIGIN);
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': expect.stringMatching(
        /^content-type, authorization, x-request-id, .*\bapollographql-client-name\b.*\btraceparent\b/,
      ),
      vary: 'Origin',
    });
    const { headers } = await app.graphql('{ hasSession }', { headers: { origin: ORIGIN } });
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-expose-headers')).toBe('x-request-id, retry-after, date');
    expect(headers.get('vary')).toMatch(/\bOrigin\b/i);
  });

  it.each([
    'null',
    'https://good.example.evil.com',
    'https://evil-good.example',
    'http://good.example',
    'https://good.example:444',
    'https://sub.good.example',
    'HTTPS://GOOD.EXAMPLE',
    'https://good.example/',
    '*',
  ])(
    'that is %s gets no CORS header, and its mutation is refused before anything is asked',
    async (origin) => {
      const before = platform.calls();
      expect(corsHeaders(await preflight(origin))).toEqual([]);
      expect((await preflight(origin)).headers.get('vary')).toBe('Origin');
      const { status, headers, errors, data } = await app.graphql(LOGIN, { headers: { origin } });
      expect(status).toBe(403);
      expect(data).toBeUndefined();
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'ORIGIN_NOT_ALLOWED' });
      expect(headers.getSetCookie()).toEqual([]);
      expect(platform.calls()).toBe(before);
    },
  );

  it('is asked of every mutation by cookie', async () => {
    const cookie = await cookieOf();
    const before = platform.calls();
    const refused = await app.graphql(LOGOUT, { headers: { cookie } });
    expect(refused.status).toBe(403);
    expect((await app.graphql(LOGIN, { headers: { cookie, 'sec-fetch-site': 'same-site' } })).status).toBe(
      403,
    );
    expect(platform.calls()).toBe(before);
    expect((await app.graphql('{ hasSession }', { headers: { cookie } })).data).toEqual({ hasSession: true });
    const allowed = await app.graphql(LOGOUT, { headers: { cookie, origin: ORIGIN } });
    expect(allowed.data).toEqual({ logout: { loggedOut: true } });
  });

  it('of its own page is allowed where a browser tells no more than that', async () => {
    const { headers } = await app.graphql(LOGIN, { headers: { origin: app.url } });
    const cookie = String(headers.getSetCookie()[0]?.split(';')[0]);
    const { data } = await app.graphql(LOGOUT, { headers: { cookie, origin: app.url } });
    expect(data).toEqual({ logout: { loggedOut: true } });
    const refused = await app.graphql(LOGIN, {
      headers: { origin: app.url, 'sec-fetch-site': 'cross-site' },
    });
    expect(refused.status).toBe(403);
  });

  it('is asked of nobody who brings a bearer handle, or logs in from no browser', async () => {
    const handle = await bearerHandle(app.graphql, { username: 'demo' });
    expect((await app.graphql(LOGOUT, { handle })).data).toEqual({ logout: { loggedOut: true } });
    const { status, headers } = await app.graphql(LOGIN);
    expect(status).toBe(200);
    expect(headers.getSetCookie()).toHaveLength(1);
  });

  it.each<[string, (cookie: string, handle: string) => Record<string, string>]>([
    ['the bearer handle as a cookie', (_cookie, handle) => ({ cookie: `__Host-portico=${handle}` })],
    [
      'the cookie handle as bearer',
      (cookie) => ({ authorization: `Bearer ${String(cookie.split('=')[1])}` }),
    ],
  ])('does not help whoever brings %s', async (_what, headersOf) => {
    const cookie = await cookieOf();
    const handle = await bearerHandle(app.graphql, { username: 'demo' });
    const headers = { origin: ORIGIN, ...headersOf(cookie, handle) };
    expect((await app.graphql('{ hasSession }', { headers })).data).toEqual({ hasSession: false });
    const { errors } = await app.graphql(LOGOUT, { headers });
    expect(errors?.[0]?.extensions).toMatchObject({ reason: 'NO_SESSION' });
  });
});

describe('a proxy with TLS', () => {
  it('is believed where it is trusted, and the cookie is Secure behind it', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'graph.example' };
    for (const [proxies, cookie] of [
      ['10.0.0.1', /^portico=.*HttpOnly; SameSite=Lax$/],
      ['loopback', /^__Host-portico=.*HttpOnly; Secure; SameSite=Lax$/],
    ] as const) {
      const app = await startApp({
        TRUSTED_PROXIES: proxies,
        HOST: '127.0.0.1',
        ALLOWED_HOSTS: 'graph.internal,graph.example',
      });
      const { port } = new URL(app.url);
      const { request } = await import('node:http');
      const setCookie = await new Promise<string | undefined>((resolve, reject) => {
        const call = request(
          {
            port,
            method: 'POST',
            path: '/graphql',
            headers: { host: 'graph.internal', 'content-type': 'application/json', ...forwarded },
          },
          (response) => {
            response.resume();
            resolve(response.headers['set-cookie']?.[0]);
          },
        );
        call.on('error', reject);
        call.end(JSON.stringify({ query: LOGIN }));
      });
      expect(setCookie).toMatch(cookie);
      await app.close();
    }
  });
});
