import { describe, expect, it } from 'vitest';
import { sourceProviders, STORES } from '../../src/credentials/credential-source.js';
import { textFile } from '../support/text-file.js';

/** The least that a profile writes of a secret, by store. */
const WRITTEN: Readonly<Record<string, object>> = {
  secrets_manager: { secretId: 'login' },
  parameter_store: { name: 'login' },
  key_vault: { vaultUrl: 'https://example.vault.azure.net', secretName: 'login' },
  secret_manager: { project: 'reports', secretId: 'login' },
  vault: { path: 'login' },
  file: { path: '/login' },
  env: { name: 'LOGIN' },
};

describe('the source of a credential', () => {
  it.each(STORES.map(({ name }) => name))('may be a secret of the store %s', (store) => {
    expect(sourceProviders({})({ store, ...WRITTEN[store] })).toBeInstanceOf(Function);
  });

  it('may be one key of a file', async () => {
    const path = textFile('login', '{"password":"of the file"}');

    expect(await sourceProviders({})({ store: 'file', path, key: 'password' })()).toBe('of the file');
  });

  it('is of no store that does not exist', () => {
    expect(() => sourceProviders({})({ store: 'nowhere' })).toThrow(
      new TypeError('There is no store "nowhere"'),
    );
  });
});
