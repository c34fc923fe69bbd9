import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { inspect, promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import {
  PlatformClient,
  PlatformSession,
  ClientClosedError,
  PlatformUnreachableError,
  type PlatformClientOptions,
} from '../../src/client/index.js';
import { makeCertificate } from '../support/client/certificate.js';
import { loginAnswer } from '../support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../support/embedded-platform/scripted-platform.js';
import { textFile } from '../support/text-file.js';

const run = promisify(execFile);

describe('the options of a client', () => {
  const notACertificate = textFile('not-a-certificate.pem', 'hello');
  const brokenCertificate = textFile(
    'broken.pem',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  );

  it.each<[string, Partial<PlatformClientOptions>]>([
    ['baseUrl', { baseUrl: '' }],
    ['baseUrl', { baseUrl: '/api' }],
    ['baseUrl', { baseUrl: 'ftp://127.0.0.1/api' }],
    ['baseUrl', { baseUrl: 'unix:/var/run/x' }],
    ['baseUrl', { baseUrl: 'http://user:secret@127.0.0.1/api' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1/api?x=1' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1/api?' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1/api#x' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1/a\r\npi' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1/a\tpi' }],
    ['baseUrl', { baseUrl: 'http://127.0.0.1\\api' }],
    ['vendor', { vendor: '' }],
    ['vendor', { vendor: 'A B' }],
    ['vendor', { vendor: 'A\r\nB' }],
    ['maxRedirects', { maxRedirects: -1 }],
    ['maxRedirects', { maxRedirects: 1.5 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: Infinity }],
    ['applicationType', { applicationType: NaN }],
    ['maxResponseBytes', { maxResponseBytes: 0 }],
    ['transport', { transport: 'fetch' as 'got' }],
    ['transport', { transport: 'toString' as 'got' }],
    ['baseUrl', { baseUrl: 5 as never }],
    ['baseUrl', { baseUrl: null as never }],
    ['tlsVerify', { tlsVerify: 0 as never }],
    ['tlsVerify', { tlsVerify: {} as never }],
    ['verify', { verify: false } as object],
    ['toString', { toString: 1 } as object],
    ['tlsVerify', { tlsVerify: `${notACertificate}-none` }],
    ['tlsVerify', { tlsVerify: dirname(notACertificate) }],
    ['tlsVerify', { tlsVerify: notACertificate }],
    ['tlsVerify', { tlsVerify: brokenCertificate }],
  ])('are rejected immediately, naming %s: %j', (name, options) => {
    const make = () => new PlatformClient({ baseUrl: 'http://127.0.0.1:9/api', ...options });

    expect(make).toThrow(TypeError);
    expect(make).toThrow(name);
    expect(make).not.toThrow(/secret/);
  });
});

describe('the base URL', () => {
  const url = new URL('http://127.0.0.1:9/api');

  it('is a string or a URL object', async () => {
    await using client = new PlatformClient({ baseUrl: url });
    await using session = new PlatformSession(url);

    expect(client.baseUrl).toBe('http://127.0.0.1:9/api/');
    expect(session.baseUrl).toBe('http://127.0.0.1:9/api/');
  });

  it.each<[string, () => unknown]>([
    ['a client of nothing', () => new PlatformClient(undefined as never)],
    ['a client of a string', () => new PlatformClient(url.href as never)],
    ['a session of options', () => new PlatformSession({ baseUrl: url.href } as never)],
    ['a session of a client', () => new PlatformSession(new PlatformClient({ baseUrl: url }) as never)],
    ['a session of nothing', () => new PlatformSession(undefined as never)],
  ])('is named when missing in %s', (_name, make) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^baseUrl (?:must|is)/);
  });
});

describe('a client', () => {
  it('shares its sockets among independent sessions', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': [
        loginAnswer('token-a', 'JSESSIONID=a; Path=/'),
        loginAnswer('token-b', 'JSESSIONID=b; Path=/'),
      ],
      'GET sessions': { status: 200, body: {} },
    });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl });
    const [first, second] = [client.openSession(), client.openSession()];

    await first.login();
    await second.login();
    await first.getSessions();
    await first.close();
    await second.getSessions();

    expect(
      platform.requests.slice(2).map(({ headers }) => [headers['x-svc-authtoken'], headers.cookie]),
    ).toEqual([
      ['token-a', 'JSESSIONID=a'],
      ['token-b', 'JSESSIONID=b'],
    ]);
    // One for each login, and one for all reads.
    expect(platform.connections).toBe(3);
  });

  it.each(['got', 'undici'] as const)('makes no calls once it is closed, by %s', async (transport) => {
    const platform = await startScriptedPlatform({ '*': loginAnswer() });
    const client = new PlatformClient({ baseUrl: platform.baseUrl, transport });

    await client.close();

    await expect(client.openSession().login()).rejects.toThrow(ClientClosedError);
    expect(platform.requests).toHaveLength(0);
  });

  it('is closed at the end of its scope', async () => {
    let left: PlatformClient;
    {
      await using client = new PlatformClient({ baseUrl: 'http://127.0.0.1:9/api' });
      left = client;
    }

    await expect(left.openSession().login()).rejects.toThrow(ClientClosedError);
  });

  it('shows its base URL, and nothing of its options', () => {
    const client = new PlatformClient({
      baseUrl: 'http://127.0.0.1:9/api',
      proxy: 'http://user:CANARY@127.0.0.1:9',
    });

    expect(inspect(client)).toBe("PlatformClient { baseUrl: 'http://127.0.0.1:9/api/' }");
  });

  it('warns once per process that it does not verify certificates', async () => {
    const code = `
      import { PlatformClient } from 'portico/client';
      for (const _ of [1, 2, 3]) new PlatformClient({ baseUrl: 'https://127.0.0.1:9', tlsVerify: false });
    `;

    const { stderr } = await run('node', ['--input-type=module', '--eval', code]);

    expect(stderr.match(/not verified/g)).toHaveLength(1);
  });

  it.each(['got', 'undici'] as const)('verifies certificates as configured, by %s', async (transport) => {
    const certificate = await makeCertificate();
    const platform = await startScriptedPlatform({ '*': loginAnswer() }, { tls: certificate });
    const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { baseUrl } = platform;

    await using byDefault = new PlatformClient({ baseUrl, transport });
    await using byBundle = new PlatformClient({ baseUrl, transport, tlsVerify: certificate.path });
    await using not = new PlatformClient({ baseUrl, transport, tlsVerify: false });
    spy.mockRestore();

    await expect(byDefault.openSession().login()).rejects.toMatchObject({
      constructor: PlatformUnreachableError,
      reason: 'TLS',
      retryable: false,
    });
    await expect(byBundle.openSession().login()).resolves.toBeUndefined();
    await expect(not.openSession().login()).resolves.toBeUndefined();
    expect(platform.requests).toHaveLength(2);
  });
});
