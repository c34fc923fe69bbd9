import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startPlatform, type StartedPlatform } from '../support/embedded-platform/start-platform.js';
import { rawExchange } from '../support/raw-exchange.js';
import { expectRefusal } from './expect-refusal.js';
import { statusOf, Wire } from './wire.js';

const NOT_FOUND = { status: 404, code: 'ERR004' };

describe('the addresses of the embedded platform', () => {
  let platform: StartedPlatform;
  let wire: Wire;
  beforeAll(async () => {
    platform = await startPlatform();
    wire = new Wire(platform.baseUrl);
  });
  afterAll(() => platform.close());

  it.each([
    'GET hello/dave',
    'GET ',
    'GET projects/',
    'GET Projects',
    'GET sessions%2FuserInfo',
    'GET __proto__',
    'GET auth/login',
    'DELETE auth/login',
    'POST projects',
    'DELETE sessions',
    'PATCH sessions',
    'OPTIONS projects',
    'POST status',
  ])('do not include %s', async (operation) => {
    const { headers } = await wire.loginAs('demo');

    await expectRefusal(wire.call(operation), NOT_FOUND);
    await expectRefusal(wire.call(operation, { headers }), NOT_FOUND);
  });

  it.each(['status', 'sessions', 'sessions/userInfo', 'projects?fields=id', 'auth/identityToken'])(
    'answer HEAD %s like GET, without the body',
    async (address) => {
      const session = await wire.loginAs('demo');
      const headers = { 'X-SVC-IdentityToken': await wire.mintIdentityToken(session) };
      const byGet = await wire.call(`GET ${address}`, { session, headers });
      const body = await byGet.text();

      const response = await wire.call(`HEAD ${address}`, { session, headers });

      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('content-length')).toBe(String(body.length));
      expect(await response.text()).toBe('');
    },
  );

  it('refuse HEAD where they would refuse GET, without the body', async () => {
    const statuses = ['hello/dave', 'auth/login', 'sessions', 'auth/identityToken'].map((address) =>
      statusOf(wire.call(`HEAD ${address}`)),
    );

    expect(await Promise.all(statuses)).toEqual([404, 404, 401, 401]);
    expect(await (await wire.call('HEAD sessions')).text()).toBe('');
  });

  it.each(['http://127.0.0.1', 'http://platform.example:8080', 'HTTPS://[::1]'])(
    'are found in a request target in absolute form: %s',
    async (origin) => {
      const ask = (target: string): Promise<string> =>
        rawExchange(
          platform.baseUrl,
          `GET ${target} HTTP/1.1\r\nHost: platform.example\r\nConnection: close\r\n\r\n`,
        );

      expect(await ask(`${origin}/api/status`)).toMatch(/^HTTP\/1\.1 200 [^]*"webVersion"/);
      expect(await ask(`${origin}/api/hello/dave?a=http://x/api/status`)).toMatch(
        /^HTTP\/1\.1 404 [^]*"ERR004"/,
      );
      expect(await ask(origin)).toMatch(/^HTTP\/1\.1 404 [^]*"ERR004"/);
    },
  );

  it('are not found outside the context path', async () => {
    const { origin } = new URL(platform.baseUrl);

    for (const path of ['/', '/status', '/apistatus', '/api', '//api/status', '/other/api/status']) {
      await expectRefusal(fetch(`${origin}${path}`), NOT_FOUND);
    }
  });

  it('return the status of the platform without a login, with versions that clients accept', async () => {
    platform.clock.advance(65_000);
    const response = await wire.call('GET status');

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      upSince: platform.clock.now() - 65_000,
      upTime: 65_000,
      upTimeText: '65 seconds',
      webVersion: expect.stringMatching(/^11\.5\.0[6-9]\d\d\./),
      iServerVersion: expect.stringMatching(/^11\.5\.0[6-9]\d\d\./),
    });
  });

  it('can be below another context path, with another vendor in the headers', async () => {
    await using other = await startPlatform({ path: '/ReportLibrary/api/', vendor: 'MSTR' });
    const otherWire = new Wire(other.baseUrl, 'MSTR');
    const json = { username: 'demo', password: 'demo', loginMode: 1, applicationType: 35 };

    const response = await otherWire.call('POST auth/login', { json });
    const session = otherWire.hold(response);

    expect(other.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ReportLibrary\/api$/);
    expect(response.headers.getSetCookie()).toEqual([expect.stringContaining('; Path=/ReportLibrary;')]);
    expect(await statusOf(otherWire.call('GET projects', { session }))).toBe(200);
    expect(await otherWire.mintIdentityToken(session)).toMatch(/\w{26}/);
    await expectRefusal(
      otherWire.call('GET projects', {
        headers: {
          'X-SVC-AuthToken': session.headers['X-MSTR-AuthToken'] ?? '',
          cookie: session.headers.cookie ?? '',
        },
      }),
      { status: 401, code: 'ERR009' },
    );
  });

  it.each(['', '/'])('can be at the root: %j', async (path) => {
    await using atRoot = await startPlatform({ path });

    expect(await statusOf(new Wire(atRoot.baseUrl).call('GET status'))).toBe(200);
    const response = await new Wire(atRoot.baseUrl).call('POST auth/login', {
      json: { loginMode: 8, applicationType: 8 },
    });
    expect(response.headers.getSetCookie()).toEqual([expect.stringContaining('; Path=/;')]);
  });

  it.each([
    ['a request that is not HTTP', 'HELLO\r\n\r\n', 400],
    [
      'headers that are too long',
      `GET /api/status HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
  ])('answer %s in JSON and close', async (_what, bytes, status) => {
    const answer = await rawExchange(platform.baseUrl, bytes);

    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('\r\ncontent-type: application/json\r\n');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'ERR006' });
  });
});
