import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LoggedApp, startLoggedApp } from '../../support/app/logged-app.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const LOGIN = 'mutation { login(input: {username: "nobody", password: "x"}) { expiresAt } }';

describe('the address of a caller', () => {
  let service: LoggedApp;
  afterEach(() => service.close());

  /** The addresses that the audit log has of logins that came with these `X-Forwarded-For`. */
  const addresses = async (forwardedFor: readonly string[]): Promise<string[]> => {
    for (const header of forwardedFor) {
      const { errors } = await service.graphql(LOGIN, { headers: { 'x-forwarded-for': header } });
      expect(errors?.[0]?.extensions).toMatchObject({ reason: 'LOGIN_FAILED' });
    }
    return [...service.output().matchAll(/"event":"login".*?"address":"([^"]+)"/g)].map(
      ([, text = '']) => text,
    );
  };

  it('is not what a client says that reaches the port past the proxy', async () => {
    service = await startLoggedApp({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' });
    const forged = ['203.0.113.7', '10.0.0.1', '203.0.113.7, 10.0.0.1', '127.0.0.1', 'no address'];
    expect(await addresses(forged)).toEqual(Array(5).fill('127.0.0.1'));
  });

  it('is the last one before the trusted proxies, in one spelling', async () => {
    service = await startLoggedApp({
      TRUSTED_PROXIES: 'loopback,10.0.0.0/8',
      LOGIN_FAILURES_PER_MINUTE: '20',
    });
    const ipv4 = [
      '203.0.113.7',
      '203.0.113.7:50123',
      '::ffff:203.0.113.7',
      '::FFFF:CB00:7107',
      '[::ffff:203.0.113.7]:443',
      '0:0:0:0:0:ffff:203.0.113.7',
      '198.51.100.1, 203.0.113.7',
      '198.51.100.1, 203.0.113.7, 10.1.2.3',
    ];
    const ipv6 = [
      '2001:db8::1',
      '2001:0DB8:0:0::0001',
      '[2001:db8::1]:443',
      '[2001:db8::1]',
      '2001:db8::1%eth0',
    ];
    expect(await addresses([...ipv4, ...ipv6])).toEqual([
      ...ipv4.map(() => '203.0.113.7'),
      ...ipv6.map(() => '2001:db8::1'),
    ]);
  });

  it('is that of the last proxy while none is trusted, and the log says so once', async () => {
    service = await startLoggedApp();
    expect(await addresses(['203.0.113.7', '203.0.113.8'])).toEqual(Array(2).fill('127.0.0.1'));
    expect(service.output().split('but TRUSTED_PROXIES is not set')).toHaveLength(2);
  });

  it('is missed by the log, once, where a router does not pass it on', async () => {
    const FEDERATION_SECRET = 'only-the-router-knows';
    service = await startLoggedApp({ FEDERATION_SECRET, TRUSTED_PROXIES: 'loopback' });
    const router = { 'x-federation-secret': FEDERATION_SECRET };
    const handle = 'A'.repeat(43);
    await service.graphql('{ _service { sdl } }', { headers: router });
    await service.graphql('{ hasSession }', {
      handle,
      headers: { ...router, 'x-forwarded-for': '203.0.113.7' },
    });
    await service.graphql('{ hasSession }', { handle });
    expect(service.output()).not.toContain('A router came without');
    for (let time = 0; time < 3; time += 1)
      await service.graphql('{ hasSession }', { handle, headers: router });
    expect(service.output().split('A router came without')).toHaveLength(2);
  });
});

describe('the address of a caller, where a trusted proxy names it,', () => {
  let app: TestApp;
  beforeAll(async () => (app = await startApp({ TRUSTED_PROXIES: 'loopback' })));
  afterAll(() => app.close());

  it.each(['unknown', '203.0.113', '203.0.113.07', '0x7f.1', '2001:db8::1::2', '203.0.113.7:port'])(
    'is refused if that is %j',
    async (header) => {
      const answer = await app.graphql('{ hasSession }', { headers: { 'x-forwarded-for': header } });
      expect(answer.status).toBe(400);
    },
  );
});
