import { describe, expect, it } from 'vitest';
import { InvalidRequestError, MissingCredentialError } from '../../src/client/index.js';
import {
  type Credential,
  type LoginProviders,
  resolveBaseUrl,
  resolveLogin,
} from '../../src/client/managed-credentials.js';

const bodyOf = async (providers: LoginProviders): Promise<object> => (await resolveLogin(providers))(8).body;

describe('a login with given credentials', () => {
  it.each<[string, LoginProviders, object]>([
    [
      'the identity token',
      { identityToken: 'i', apiKey: 'k', username: 'u', password: 'p' },
      { loginMode: -1, identityToken: 'i' },
    ],
    [
      'the API key',
      { apiKey: 'k', username: 'u', password: 'p' },
      { username: 'k', loginMode: 4096, applicationType: 8 },
    ],
    ['the API key with a password alone', { apiKey: 'k', password: 'p' }, { username: 'k', loginMode: 4096 }],
    [
      'user name and password',
      { username: 'u', password: 'p' },
      { username: 'u', password: 'p', loginMode: 1 },
    ],
    ['those of a directory', { username: 'u', password: 'p', mode: 'ldap' }, { loginMode: 16 }],
    ['a user name alone', { username: 'u' }, { username: 'u', loginMode: 4096 }],
    ['nothing', {}, { loginMode: 8, applicationType: 8 }],
    [
      'nothing, where all are null',
      { identityToken: null, apiKey: null, username: null, password: null },
      { loginMode: 8 },
    ],
  ])('is by %s', async (_what, providers, body) => {
    expect(await bodyOf(providers)).toMatchObject(body);
  });

  it('asks all its providers at the same time, once', async () => {
    const asked: string[] = [];
    const all = Promise.withResolvers<undefined>();
    const provider = (name: string) => async (): Promise<string> => {
      asked.push(name);
      if (asked.length === 4) all.resolve(undefined);
      await all.promise;
      return name;
    };

    const body = await bodyOf({
      username: provider('u'),
      password: provider('p'),
      identityToken: provider('i'),
      apiKey: provider('k'),
    });

    expect([asked, body]).toEqual([['u', 'p', 'i', 'k'], { loginMode: -1, identityToken: 'i' }]);
  });

  it.each<[keyof LoginProviders, unknown]>([
    ['username', ''],
    ['password', () => ''],
    ['identityToken', () => Promise.resolve(null)],
    ['apiKey', () => undefined],
    ['apiKey', 5],
  ])('is refused when its %s resolves to nothing: %s', async (name, credential) => {
    const refusal = resolveLogin({ username: 'u', [name]: credential as Credential });

    await expect(refusal).rejects.toBeInstanceOf(MissingCredentialError);
    await expect(refusal).rejects.toThrow(`The credential "${name}" resolved to nothing.`);
  });

  it('is refused when there is a password without a user name', async () => {
    const refusal = resolveLogin({ password: 'p' });

    await expect(refusal).rejects.toBeInstanceOf(MissingCredentialError);
    await expect(refusal).rejects.toThrow('The credential "username" is missing, but a password is given.');
  });

  it.each<[LoginProviders]>([
    [{ mode: 'ldap' }],
    [{ mode: 'ldap', username: 'u' }],
    [{ mode: 'ldap', apiKey: 'k' }],
    [{ mode: 'kerberos' as 'ldap', username: 'u', password: 'p' }],
  ])('is refused when its mode does not fit: %j', async (providers) => {
    await expect(resolveLogin(providers)).rejects.toBeInstanceOf(InvalidRequestError);
  });
});

describe('a base URL', () => {
  it('is a string, a URL, or what a provider returns', async () => {
    const text = 'http://platform.example/api';

    for (const baseUrl of [text, new URL(text), () => Promise.resolve(text)]) {
      expect(await resolveBaseUrl({ baseUrl })).toBe(text);
    }
  });

  it('is required', async () => {
    await expect(resolveBaseUrl({})).rejects.toThrow(
      new MissingCredentialError('The credential "baseUrl" is missing.'),
    );
    await expect(resolveBaseUrl({ baseUrl: '' })).rejects.toThrow('"baseUrl" resolved to nothing');
  });
});
