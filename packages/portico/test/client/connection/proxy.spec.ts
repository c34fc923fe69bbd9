import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import {
  PlatformClient,
  PlatformUnreachableError,
  type PlatformClientOptions,
} from '../../../src/client/index.js';
import { readProxy } from '../../../src/client/transport/proxy.js';
import { makeCertificate } from '../../support/client/certificate.js';
import { loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import { startScriptedPlatform, type Script } from '../../support/embedded-platform/scripted-platform.js';
import { startHttpProxy } from '../../support/http-proxy.js';

const script: Script = {
  'POST auth/login': loginAnswer('the-token', 'JSESSIONID=the-cookie; Path=/'),
  'POST auth/logout': { status: 204 },
  'PUT sessions': { status: 204 },
  'GET projects': { status: 200, body: [] },
};

describe.each(['got', 'undici'] as const)('a proxy, by %s,', (transport) => {
  const clients = new Set<PlatformClient>();
  afterEach(async () => {
    await Promise.all([...clients].map((client) => client.close()));
    clients.clear();
  });
  function clientOf(options: PlatformClientOptions): PlatformClient {
    const client = new PlatformClient({ transport, ...options });
    clients.add(client);
    return client;
  }

  it('opens a tunnel to an https platform and sees neither header nor body', async () => {
    const certificate = await makeCertificate();
    const platform = await startScriptedPlatform(script, { tls: certificate });
    const proxy = await startHttpProxy('user:p@ss');
    const session = clientOf({
      baseUrl: platform.baseUrl,
      tlsVerify: certificate.path,
      proxy: `http://user:p%40ss@127.0.0.1:${proxy.port}`,
    }).openSession();

    await session.login({ username: 'user', password: 'password' });
    await session.getProjects();
    await session.logout();

    const target = new URL(platform.origin).host;
    expect(new Set(proxy.requests.map((request) => `${request.method} ${request.target}`))).toEqual(
      new Set([`CONNECT ${target}`]),
    );
    for (const { headers } of proxy.requests) {
      expect(headers['proxy-authorization']).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
      expect(JSON.stringify(headers)).not.toMatch(/the-token|the-cookie|svc|cookie/i);
    }
    expect(proxy.received()).not.toMatch(/the-token|the-cookie|password/);
    expect(platform.requests).toHaveLength(3);
    for (const { headers } of platform.requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });

  it('forwards to an http platform, which does not see its credentials', async () => {
    const platform = await startScriptedPlatform(script);
    const proxy = await startHttpProxy('user:pass');
    const session = clientOf({
      baseUrl: platform.baseUrl,
      proxy: new URL(`http://user:pass@127.0.0.1:${proxy.port}`),
    }).openSession();

    await session.login();
    await session.getProjects();
    await session.logout();

    expect(proxy.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      `POST ${platform.baseUrl}auth/login`,
      `GET ${platform.baseUrl}projects`,
      `POST ${platform.baseUrl}auth/logout`,
    ]);
    expect(platform.requests.map(({ headers }) => headers.host)).toEqual(
      Array.from({ length: 3 }, () => new URL(platform.origin).host),
    );
    for (const { headers } of platform.requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });

  it('is passed by for the hosts that are named', async () => {
    const platform = await startScriptedPlatform(script);
    const proxy = await startHttpProxy();
    const session = clientOf({
      baseUrl: platform.baseUrl,
      proxy: proxy.url,
      noProxy: 'example.com, 127.0.0.0/8',
    }).openSession();

    await session.login();

    expect(platform.requests).toHaveLength(1);
    expect(proxy.requests).toEqual([]);
  });

  it.each([false, true])('that wants other credentials is an error without them, TLS: %s', async (isTls) => {
    const certificate = await makeCertificate();
    const platform = await startScriptedPlatform(script, isTls ? { tls: certificate } : {});
    const proxy = await startHttpProxy('user:pass');
    const session = clientOf({
      baseUrl: platform.baseUrl,
      tlsVerify: certificate.path,
      proxy: `http://user:CANARY@127.0.0.1:${proxy.port}`,
    }).openSession();

    const error: unknown = await session.login().catch((failure: unknown) => failure);

    expect(error).toBeInstanceOf(PlatformUnreachableError);
    expect(error).toMatchObject({
      reason: 'CONNECT',
      message: 'The proxy refused to connect to the platform (HTTP 407).',
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(
      new RegExp(`CANARY|${Buffer.from('user:CANARY').toString('base64')}`),
    );
    expect(platform.requests).toEqual([]);
  });

  it.each([false, true])('that is not there is an unreachable platform, TLS: %s', async (isTls) => {
    const certificate = await makeCertificate();
    const platform = await startScriptedPlatform(script, isTls ? { tls: certificate } : {});
    const proxy = await startHttpProxy();
    await proxy.close();
    const session = clientOf({ baseUrl: platform.baseUrl, proxy: proxy.url }).openSession();

    await expect(session.login()).rejects.toMatchObject({
      constructor: PlatformUnreachableError,
      reason: 'CONNECT',
      message: 'The connection to the platform failed (ECONNREFUSED).',
    });
    expect(platform.requests).toEqual([]);
  });

  it.each([false, true])('that drops idle connections fails no call, TLS: %s', async (isTls) => {
    const certificate = await makeCertificate();
    const platform = await startScriptedPlatform(script, isTls ? { tls: certificate } : {});
    const proxy = await startHttpProxy();
    const session = clientOf({
      baseUrl: platform.baseUrl,
      tlsVerify: certificate.path,
      proxy: proxy.url,
    }).openSession();
    await session.login();

    for (let round = 0; round < 4; round += 1) {
      await session.extendSession();
      proxy.dropAll();
    }
    await session.logout();

    expect(platform.count('PUT sessions')).toBe(4);
    expect(platform.count('POST auth/logout')).toBe(1);
  });
});

describe('the setting of a proxy', () => {
  it.each([
    'https://proxy:8080',
    'socks5://proxy',
    'proxy:8080',
    'http://u:CANARY@proxy/path',
    'http://proxy?x=1',
    '',
  ])('is refused without being quoted: %s', (proxy) => {
    const make = (): unknown => new PlatformClient({ baseUrl: 'http://platform/api', proxy });

    expect(make).toThrow(new TypeError('proxy: must be an http URL without path, query, or fragment.'));
  });

  it.each<[string, string, boolean]>([
    ['', 'https://platform.example/api', true],
    ['*', 'https://platform.example/api', false],
    ['platform.example', 'https://platform.example/api', false],
    ['PLATFORM.example.', 'https://platform.EXAMPLE/api', false],
    ['example', 'https://platform.example/api', false],
    ['.example', 'https://platform.example/api', false],
    ['*.example', 'https://platform.example/api', false],
    ['form.example', 'https://platform.example/api', true],
    ['other, platform.example', 'https://platform.example/api', false],
    ['other platform.example', 'https://platform.example/api', false],
    ['platform.example:443', 'https://platform.example/api', false],
    ['platform.example:8443', 'https://platform.example/api', true],
    ['platform.example:8443', 'https://platform.example:8443/api', false],
    ['10.0.0.1', 'http://10.0.0.1/api', false],
    ['0.0.1', 'http://10.0.0.1/api', true],
    ['10.0.0.0/8', 'http://10.1.2.3/api', false],
    ['10.0.0.0/8', 'http://11.1.2.3/api', true],
    ['10.0.0.0/99', 'http://10.1.2.3/api', true],
    ['::1', 'http://[::1]:3000/api', false],
    ['[::1]:3000', 'http://[::1]:3000/api', false],
    ['[::1]:3001', 'http://[::1]:3000/api', true],
    ['fd00::/8', 'http://[fd12::1]/api', false],
    ['127.0.0.0/8', 'http://localhost/api', true],
  ])('with exceptions %j: %s goes through it: %s', (noProxy, target, isProxied) => {
    expect(readProxy('http://proxy:3128', noProxy)?.isFor(new URL(target))).toBe(isProxied);
  });
});
