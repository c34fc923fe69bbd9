import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  LoginFailedError,
  MissingCredentialError,
  PlatformHttpError,
  PlatformResponse,
  type LoginCredentials,
} from '../../../src/client/index.js';
import { ResponseHeaders, VendorHeaders } from '../../../src/client/connection/headers.js';
import {
  delegateRequest,
  identityTokenOf,
  isPasswordWithoutUsername,
  loginFailure,
  loginRequest,
  modeField,
  readCredentials,
  requireLdapCredentials,
  requireLoggedOut,
  tokenOfLogin,
} from '../../../src/client/session/login.js';

const names = new VendorHeaders('SVC');

function answer(status: number, ...raw: string[]): PlatformResponse {
  return PlatformResponse.received(
    status,
    new ResponseHeaders(raw),
    Buffer.alloc(0),
    new URL('http://h/api/'),
  );
}

describe('the request of a login', () => {
  it.each<[LoginCredentials, object]>([
    [
      { username: 'u', password: 'p', apiKey: 'k' },
      {
        body: { username: 'u', password: 'p', loginMode: 1, applicationType: 8 },
        secrets: ['p', 'k'],
        account: 'u',
      },
    ],
    [
      { username: 'u', password: '', mode: 'ldap', applicationType: 0 },
      {
        body: { username: 'u', password: '', loginMode: 16, applicationType: 0 },
        secrets: [''],
        account: 'u',
      },
    ],
    [
      { username: 'u', apiKey: 'k' },
      { body: { username: 'k', loginMode: 4096, applicationType: 8 }, secrets: ['k'], account: 'k' },
    ],
    [
      { password: 'p', apiKey: 'k' },
      { body: { username: 'k', loginMode: 4096, applicationType: 8 }, secrets: ['p', 'k'], account: 'k' },
    ],
    [
      { username: 'u' },
      { body: { username: 'u', loginMode: 4096, applicationType: 8 }, secrets: ['u'], account: 'u' },
    ],
    [{ password: 'p' }, { body: { loginMode: 8, applicationType: 8 }, secrets: ['p'] }],
    [
      { username: null, apiKey: null },
      { body: { loginMode: 8, applicationType: 8 }, secrets: [] },
    ],
  ])('has a body, an account and secrets by what is given: %j', (credentials, request) => {
    expect(loginRequest(credentials, 8)).toStrictEqual({ path: 'auth/login', ...request });
  });

  it('by an identity token has the token in its body, which is a secret', () => {
    expect(delegateRequest('idt')).toStrictEqual({
      path: 'auth/delegate',
      body: { loginMode: -1, identityToken: 'idt' },
      secrets: ['idt'],
    });
  });

  it.each([
    ['', MissingCredentialError],
    [undefined, MissingCredentialError],
    [5, MissingCredentialError],
    ['a\nb', InvalidRequestError],
    ['\u007f', InvalidRequestError],
    ['a'.repeat(4097), InvalidRequestError],
  ])('is never made of the identity token %j', (token, kind) => {
    expect(() => delegateRequest(token)).toThrow(kind);
  });

  it.each([' ', '~', 'a'.repeat(4096)])('may be made of the identity token %j', (token) => {
    expect(delegateRequest(token).secrets).toEqual([token]);
  });
});

describe('the credentials of a login', () => {
  it('are read with every field, absent ones as undefined', () => {
    const none = { username: undefined, password: undefined, apiKey: undefined };

    expect(readCredentials({})).toStrictEqual({ ...none, mode: undefined, applicationType: undefined });
    expect(
      readCredentials({ username: 'u', password: 'p', apiKey: 'k', mode: 'ldap', applicationType: 7 }),
    ).toStrictEqual({ username: 'u', password: 'p', apiKey: 'k', mode: 'ldap', applicationType: 7 });
    expect(readCredentials({ other: null, mode: null, applicationType: null, username: null })).toStrictEqual(
      {
        ...none,
        username: null,
        mode: undefined,
        applicationType: undefined,
      },
    );
  });

  it.each<[unknown, string]>([
    [undefined, 'must be an object'],
    [[], 'must be an object'],
    [{ username: 5 }, 'The username of a login must be a string.'],
    [{ username: 'u', password: 5 }, 'The password of a login must be a string.'],
    [{ apiKey: {} }, 'The apiKey of a login must be a string.'],
    [{ user: 'u' }, 'Field user of a login is not a known name; do you mean username?'],
    [{ toString: 'u' }, 'Field toString of a login'],
    [Object.create({ other: 'u' }), 'Field other of a login'],
    [{ password: 'p' }, 'A password needs a user name.'],
    [{ mode: 'other' }, 'The mode of a login must be one of standard, ldap.'],
    [{ mode: 5 }, 'The mode of a login must be one of standard, ldap.'],
    [{ mode: 'ldap' }, 'The login mode ldap needs a user name and a password.'],
    [{ mode: 'ldap', username: 'u' }, 'The login mode ldap needs a user name and a password.'],
    [{ mode: 'ldap', apiKey: 'k', password: 'p' }, 'The login mode ldap needs a user name and a password.'],
    [{ applicationType: '8' }, 'The application type of a login must be an integer.'],
    [{ applicationType: 2 ** 53 }, 'The application type of a login must be an integer.'],
  ])('are refused where a mistake could make another user of them: %j', (given, problem) => {
    expect(() => readCredentials(given)).toThrow(InvalidRequestError);
    expect(() => readCredentials(given)).toThrow(problem);
  });

  it.each<[LoginCredentials, boolean]>([
    [{ password: '' }, true],
    [{ password: 'p', username: '' }, false],
    [{ password: 'p', apiKey: '' }, false],
    [{ password: null }, false],
    [{}, false],
  ])('may be a password without a user: %j, %s', (credentials, isAlone) => {
    expect(isPasswordWithoutUsername(credentials)).toBe(isAlone);
  });

  it.each<LoginCredentials>([
    { mode: 'ldap', username: '', password: '' },
    { mode: 'standard' },
    { mode: null },
    {},
  ])('may be used with their mode: %j', (credentials) => {
    expect(() => {
      requireLdapCredentials(credentials);
    }).not.toThrow();
  });

  it('may leave the mode open', () => {
    expect([modeField({}), modeField({ mode: null }), modeField({ mode: 'standard' })]).toEqual([
      undefined,
      undefined,
      'standard',
    ]);
  });
});

describe('the answer to a login', () => {
  it('has exactly one token', () => {
    expect(tokenOfLogin(answer(204, 'x-svc-authtoken', 'abc'), names)).toBe('abc');
    expect(() => tokenOfLogin(answer(204, 'X-Other-AuthToken', 'abc'), names)).toThrow(
      expect.objectContaining({
        constructor: PlatformHttpError,
        status: 204,
        tokenHeader: 'X-Other-AuthToken',
      }),
    );
    expect(() => tokenOfLogin(answer(204), names)).toThrow('without exactly one well-formed token');
  });

  it.each<[number, string | undefined]>([
    [200, undefined],
    [299, undefined],
    [302, 'sso.example'],
    [399, undefined],
  ])('that is HTTP %d without a code says that only 204 starts a session', (status, redirectHost) => {
    const error = loginFailure(
      answer(status, 'Location', 'http://sso.example/'),
      new PlatformHttpError('x', { status }),
    );

    expect(error.message).toBe(
      `The platform answered the login with HTTP ${status}; only 204 starts a session.`,
    );
    expect(error).toMatchObject({ constructor: PlatformHttpError, status });
    expect((error as PlatformHttpError).redirectHost).toBe(redirectHost);
  });

  it.each([
    [400, new PlatformHttpError('x')],
    [502, new PlatformHttpError('x')],
    [200, new LoginFailedError('x', { code: 'ERR003' })],
    [302, new LoginFailedError('x', { code: 'ERR003' })],
    [401, new LoginFailedError('x', { code: 'ERR003' })],
  ])('that is HTTP %d is otherwise the error that it is on any call: %s', (status, error) => {
    expect(loginFailure(answer(status), error)).toBe(error);
  });
});

describe('the answer to another call', () => {
  it('has exactly one identity token', () => {
    expect(identityTokenOf(answer(200, 'x-svc-identitytoken', 'a b'), names)).toBe('a b');
    for (const raw of [
      [],
      ['X-SVC-IdentityToken', ''],
      [...['X-SVC-IdentityToken', 'a'], ...['X-SVC-IdentityToken', 'b']],
    ]) {
      expect(() => identityTokenOf(answer(201, ...raw), names)).toThrow(
        expect.objectContaining({ constructor: PlatformHttpError, status: 201 }),
      );
    }
  });

  it.each([200, 202, 205])('of a logout that is HTTP %d has not ended the session', (status) => {
    expect(() => {
      requireLoggedOut(answer(204));
    }).not.toThrow();
    expect(() => {
      requireLoggedOut(answer(status));
    }).toThrow(expect.objectContaining({ constructor: PlatformHttpError, status }));
  });
});
