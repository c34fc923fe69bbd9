import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { trustedProxies } from '../../src/http/address.js';

/** Who the caller is of a request that says it was forwarded for 192.0.2.7, and came from an address. */
async function callerBehind(remoteAddress: string, proxies: readonly string[]): Promise<string> {
  const server = Fastify({ trustProxy: trustedProxies(proxies) });
  server.get('/', (request) => request.ip);
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  const answer = await server.inject({ url: '/', remoteAddress, headers });
  await server.close();
  return answer.body;
}

describe('a proxy', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.0.1', 'private'],
    ['169.254.0.1', 'private'],
    ['fd00::1', 'private'],
    ['fe80::1', 'private'],
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.1', '198.51.100.0/24'],
  ])('at %s is believed if TRUSTED_PROXIES is %s', async (address, proxy) => {
    expect(await callerBehind(address, [proxy])).toBe('192.0.2.7');
  });

  it.each([
    ['198.51.100.1', ['loopback', 'private']],
    ['127.0.0.1', ['private']],
    ['10.1.2.3', ['loopback']],
    ['198.51.100.2', ['198.51.100.1']],
    ['127.0.0.1', []],
  ])('at %s is not believed if TRUSTED_PROXIES is %j', async (address, proxies) => {
    expect(await callerBehind(address, proxies)).toBe(address);
  });

  it('is believed by each of several entries', async () => {
    for (const address of ['127.0.0.1', '10.1.2.3', '198.51.100.1']) {
      expect(await callerBehind(address, ['loopback', 'private', '198.51.100.1'])).toBe('192.0.2.7');
    }
  });
});
