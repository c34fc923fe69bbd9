import { describe, expect, it } from 'vitest';
import {
  type Account,
  accountKey,
  loginSubject,
  normalizedName,
  sessionAccount,
} from '../../src/auth/login-subject.js';

const user = (name: string): { kind: 'user'; name: string } => ({ kind: 'user', name });

const placeKey = (account: Account, network: string): string | undefined =>
  loginSubject({ requestId: 'request', network }, account).place;

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
    ['a byte order mark inside', 'de\uFEFFmo'],
    ['a letter in a circle', 'ⓓemo'],
  ])('is one for spellings that differ in %s', (_what, name) => {
    expect(accountKey(user(name))).toBe(accountKey(user('demo')));
  });

  it.each([
    ['STRASSE', 'straße'],
    ['ΟΔΟΣ', 'οδος'],
    ['first\u00A0 last', 'First Last'],
    ['first\tlast', 'First Last'],
  ])('treats %s and %s as equal', (one, other) => {
    expect(normalizedName(one)).toBe(normalizedName(other));
  });

  it('keeps other names, profiles and API keys apart', () => {
    const keys = (['user', 'profile', 'apiKey'] as const).map((kind) => accountKey({ kind, name: 'demo' }));
    expect(new Set([...keys, accountKey(user('demo2')), accountKey(user('d emo'))]).size).toBe(5);
  });

  it.each(['profile', 'apiKey'] as const)('keeps two of the kind %s apart that differ in case', (kind) => {
    expect(accountKey({ kind, name: 'DEMO' })).not.toBe(accountKey({ kind, name: 'demo' }));
  });

  it('does not tell the name', () => {
    expect(accountKey(user('demo'))).toMatch(/^user:[0-9a-f]{64}$/);
    expect(placeKey(user('demo'), '192.0.2.7')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the account of a session together with the mode, in a form that reveals no name', () => {
    const accounts = [
      user('demo'),
      { ...user('demo'), mode: 'ldap' },
      { ...user('demo'), mode: 'trusted' },
      user('other'),
      { kind: 'profile', name: 'demo' } as const,
      { kind: 'apiKey', name: 'demo' } as const,
    ].map((account) => sessionAccount(account));
    expect(new Set(accounts).size).toBe(6);
    expect(sessionAccount(user(' Demo'))).toBe(accounts[0]);
    for (const account of accounts) expect(account).toMatch(/^[\w-]{43}$/);
  });
});

describe('the place of a login', () => {
  it('is an account in a network', () => {
    expect(placeKey(user('demo'), '192.0.2.7')).toBe(placeKey(user('DEMO'), '192.0.2.7'));
    expect(placeKey(user('demo'), '192.0.2.7')).not.toBe(placeKey(user('demo'), '192.0.2.8'));
    expect(placeKey(user('demo'), '192.0.2.7')).not.toBe(placeKey(user('other'), '192.0.2.7'));
  });
});
