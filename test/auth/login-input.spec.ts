import 'reflect-metadata';
import { InvalidRequestError } from 'portico/client';
import { describe, expect, it } from 'vitest';
import {
  accountOf,
  loginCredentials,
  LoginInput,
  LoginMode,
  profileLogin,
} from '../../src/auth/login.input.js';

const input = (fields: Partial<LoginInput>): LoginInput => Object.assign(new LoginInput(), fields);

describe('the credentials of a login', () => {
  it.each<[Partial<LoginInput>, object]>([
    [
      { username: 'demo', password: '' },
      { username: 'demo', password: '' },
    ],
    [{ username: 'demo' }, { username: 'demo' }],
    [
      { apiKey: 'key', applicationType: 0 },
      { apiKey: 'key', applicationType: 0 },
    ],
    [
      { username: 'demo', password: 'p', mode: LoginMode.LDAP },
      { username: 'demo', password: 'p', mode: 'ldap' },
    ],
    [{ mode: LoginMode.STANDARD }, {}],
    [{ username: null, password: null, apiKey: null, applicationType: null }, {}],
  ])('by the input %j are %j: null is not given', (fields, expected) => {
    const given = Object.entries(loginCredentials(input(fields))).filter(([, value]) => value !== undefined);
    expect(Object.fromEntries(given)).toEqual(expected);
  });

  it.each<[Partial<LoginInput>, string]>([
    [{ apiKey: 'key', username: 'demo' }, 'An apiKey cannot be combined with username or password'],
    [{ apiKey: 'key', password: '' }, 'An apiKey cannot be combined with username or password'],
    [{ password: '' }, 'A password needs a user name'],
    [{ mode: LoginMode.LDAP }, 'The login mode LDAP needs username and password'],
    [{ mode: LoginMode.LDAP, username: 'demo' }, 'The login mode LDAP needs username and password'],
    [{ mode: LoginMode.LDAP, apiKey: 'key' }, 'The login mode LDAP needs username and password'],
  ])('cannot be %j, of which the platform would use a part', (fields, message) => {
    expect(() => loginCredentials(input(fields))).toThrow(InvalidRequestError);
    expect(() => loginCredentials(input(fields))).toThrow(message);
  });

  it('are those of a guest if they name neither a user nor an API key', () => {
    expect(accountOf({})).toBeUndefined();
    expect([{ username: 'demo' }, { apiKey: 'key' }].map(accountOf)).not.toContain(undefined);
  });

  it('name the account whose failures count: the user, otherwise the API key', () => {
    expect(accountOf({ username: 'demo', password: 'p', mode: 'ldap' })).toEqual({
      kind: 'user',
      name: 'demo',
      mode: 'ldap',
    });
    expect(accountOf({ apiKey: 'key' })).toEqual({ kind: 'apiKey', name: 'key' });
  });
});

describe('a login by a profile', () => {
  it('is one that names a profile and its key', () => {
    const named = { profile: 'nightly', profileKey: 'key' };
    expect(profileLogin(input(named))).toEqual(named);
    expect(profileLogin(input({ profile: null, profileKey: null, username: 'demo' }))).toBeUndefined();
  });

  it.each<Partial<LoginInput>>([{ profile: 'nightly' }, { profileKey: 'key' }])(
    'needs both, not %j alone',
    (fields) => {
      expect(() => profileLogin(input(fields))).toThrow('needs both profile and profileKey');
    },
  );

  it.each<Partial<LoginInput>>([
    { username: 'demo' },
    { password: '' },
    { apiKey: 'key' },
    { mode: LoginMode.LDAP },
    { applicationType: 0 },
  ])('goes without %j, which the profile has', (fields) => {
    const named = { profile: 'nightly', profileKey: 'key', ...fields };
    expect(() => profileLogin(input(named))).toThrow(InvalidRequestError);
  });
});
