import { describe, expect, it } from '@jest/globals';
import { accountKey, addressKey } from '../../src/auth/login-subject.js';

describe('the key of an account', () => {
  it('is one for all spellings that a platform may take for one', () => {
    expect(accountKey(' Demo')).toBe(accountKey('demo'));
    expect(accountKey('ＤＥＭＯ')).toBe(accountKey('demo'));
    expect(accountKey('demo2')).not.toBe(accountKey('demo'));
  });

  it('does not tell the name', () => {
    expect(accountKey('demo')).toMatch(/^account:[0-9a-f]{64}$/);
  });
});

describe('the key of an address', () => {
  it.each([
    ['192.0.2.7', 'address:192.0.2.7'],
    ['::ffff:192.0.2.7', 'address:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2'],
    ['2001:db8:1:2::1', 'address:2001:db8:1:2'],
    ['2001:DB8::1', 'address:2001:db8:0:0'],
    ['2001:0db8::5:6:7:8', 'address:2001:db8:0:0'],
    ['::1', 'address:0:0:0:0'],
    ['fe80::1%eth0', 'address:fe80:0:0:0'],
  ])('of %s is %s, a whole network of IPv6', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
