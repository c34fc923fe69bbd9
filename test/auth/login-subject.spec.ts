import { describe, expect, it } from 'vitest';
import {
  type Account,
  accountKey,
  loginSubject,
  normalizedName,
  sessionAccount,
} from '../../src/auth/login-subject.js';

const user = (name: string): { kind: 'user'; name: string } => ({ kind: 'user', name });

const from = (clientAddress: string): Parameters<typeof loginSubject>[0] => ({
  requestId: 'request',
  network: 'network',
  clientAddress,
});
const placeKey = (account: Account, address: string): string | undefined =>
  loginSubject(from(address), account).place;

describe('the key of an account', () => {
  it.each([
    ['outer space', ' demo\t'],
    ['case', 'DeMo'],
    ['width', 'ＤＥＭＯ'],
    ['a zero-width space', 'de\u200Bmo'],
    ['a soft hyphen', 'de\u00ADmo'],
    ['a byte order mark', '\uFEFFdemo'],
    ['a direction mark', '\u202Edemo\u202C'],
    ['a variation selector', 'demo\uFE0F'],
    ['a Hangul filler', 'demo\u3164'],
    ['a control character', 'de\u0000mo'],
    ['a letter in a circle', 'ⓓemo'],
  ])('is one for spellings that differ in %s', (_what, name) => {
    expect(accountKey(user(name))).toBe(accountKey(user('demo')));
  });

  it.each([
    ['STRASSE', 'straße'],
    ['ΟΔΟΣ', 'οδος'],
    ['first\u00A0 last', 'First Last'],
  ])('treats %s and %s as equal', (one, other) => {
    expect(normalizedName(one)).toBe(normalizedName(other));
  });

  it('is for a plain name what the whole comparison gives', () => {
    for (let code = 0x20; code < 0x7f; code += 1) {
      const name = `a${String.fromCharCode(code)}Z`;
      // With a character that is left out, the name is not plain.
      expect(accountKey(user(name))).toBe(accountKey(user(`${name}\u200B`)));
    }
  });

  it('keeps other names, profiles and API keys apart', () => {
    const keys = (['user', 'profile', 'apiKey'] as const).map((kind) => accountKey({ kind, name: 'demo' }));
    expect(new Set([...keys, accountKey(user('demo2')), accountKey(user('d emo'))]).size).toBe(5);
  });

  it('does not tell the name', () => {
    expect(accountKey(user('demo'))).toMatch(/^user:[0-9a-f]{64}$/);
    expect(placeKey(user('demo'), '192.0.2.7')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the account of a session together with the mode, in a form that reveals no name', () => {
    const accounts = [
      user('demo'),
      { ...user('demo'), mode: 'ldap' },
      user('other'),
      { kind: 'profile', name: 'demo' } as const,
      { kind: 'apiKey', name: 'demo' } as const,
    ].map((account) => sessionAccount(account));
    expect(new Set(accounts).size).toBe(5);
    expect(sessionAccount(user(' Demo'))).toBe(accounts[0]);
    for (const account of accounts) expect(account).toMatch(/^[\w-]{43}$/);
  });
});

describe('the key of a network', () => {
  it.each([
    ['192.0.2.7', 'network:192.0.2.7'],
    ['::ffff:192.0.2.7', 'network:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'network:2001:db8:1:2'],
    ['2001:db8:1:2::1', 'network:2001:db8:1:2'],
    ['2001:DB8::1', 'network:2001:db8:0:0'],
    ['2001:0db8::5:6:7:8', 'network:2001:db8:0:0'],
    ['::1', 'network:0:0:0:0'],
    ['fe80::1%eth0', 'network:fe80:0:0:0'],
  ])('of %s is %s: an address of IPv4, or a whole network of IPv6', (address, key) => {
    expect(loginSubject(from(address), undefined).network).toBe(key);
  });

  it('with an account is the same for all addresses of the network', () => {
    expect(placeKey(user('demo'), '2001:db8::1')).toBe(placeKey(user('DEMO'), '2001:db8::2'));
    expect(placeKey(user('demo'), '2001:db8::1')).not.toBe(placeKey(user('demo'), '2001:db8:1::1'));
  });
});
