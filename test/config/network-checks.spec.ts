import { describe, expect, it } from 'vitest';
import { isHeaderName, isHostName, isLoopback, isProxy } from '../../src/config/network-checks.js';

describe('the checks of network settings', () => {
  it.each([
    'localhost',
    '127.0.0.1',
    '127.255.0.3',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::1%lo0',
  ])('know %s as loopback', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '::',
    '128.0.0.1',
    '127.0.0',
    '127.0.0.1.example',
    'localhost.example',
    '[::2]',
    '',
    '[]127.0.0.1',
    '127.0.0.1[]',
  ])('do not take %j for loopback', (host) => {
    expect(isLoopback(host)).toBe(false);
  });

  it.each([
    'loopback',
    'private',
    '10.0.0.1',
    '10.0.0.0/8',
    '::1',
    'fd00::/8',
    '192.0.2.7/32',
    '::ffff:10.0.0.1',
    '128.0.0.0/1',
    '::ffff:10.0.0.0/104',
    '::ffff:0.0.0.0/96',
  ])('take the proxy %s', (proxy) => {
    expect(isProxy(proxy)).toBe(true);
  });

  it.each([
    '',
    '1',
    'true',
    '*',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/8/8',
    '10.0.0',
    'proxy.example',
    'fe80::1%eth0',
    '010.0.0.1',
    '10.0.0.0/08',
    '10.0.0.0/8.0',
    '10.0.0.0/255.0.0.0',
    '[::1]',
    '10.0.0.1:80',
    '::ffff:10.0.0.0/8',
    '0:0:0:0:0:FFFF:10.0.0.0/24',
    'LOOPBACK',
  ])('refuse the proxy %j', (proxy) => {
    expect(isProxy(proxy)).toBe(false);
  });

  it('take host names as URLs have them, and no ports', () => {
    expect(['graph.example', 'localhost', '[::1]', '127.0.0.1'].every(isHostName)).toBe(true);
    expect(['Graph.example', 'graph.example:80', 'a/b', 'u@a', '*.example', ''].map(isHostName)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(['*', 'graph.example/', '0x7f.1', 'a,b', '010.0.0.1'].some(isHostName)).toBe(false);
  });

  it('take header names', () => {
    expect(['baggage', 'x-a_b'].every(isHeaderName)).toBe(true);
    expect(['a b', 'a:', ''].some(isHeaderName)).toBe(false);
  });
});
