import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseProfiles } from '../../src/credentials/parse-profiles.js';
import { type ProfileContext, profileCredentials } from '../../src/credentials/profile-login.js';
import { awsEnvironment } from '../support/credentials/stores/aws-environment.js';
import { expectCredentialError } from '../support/credentials/expect-credential-error.js';
import { type LoopbackSecretStore } from '../support/credentials/stores/loopback-secret-store.js';
import { setEnvironment } from '../support/credentials/process-environment.js';
import {
  startVault,
  VAULT_JWT,
  VAULT_ROLE,
  VAULT_TOKEN,
  vaultEnvironment,
} from '../support/credentials/stores/vault-secret-store.js';
import { secretCanary } from '../support/secrets/secret-canary.js';
import { startParameterStore } from '../support/credentials/stores/parameter-store-secret-store.js';
import { startSecretsManager } from '../support/credentials/stores/secrets-manager-secret-store.js';
import { textFile } from '../support/text-file.js';

const KEY = 'profileKeySha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';
const FROM_SECRETS_MANAGER = `
username: { store: secrets_manager, secretId: prod/portico, key: username }
password: { store: secrets_manager, secretId: prod/portico, key: password }`;

function credentialsOf(lines: string, context: Partial<ProfileContext> = {}) {
  const text = `profiles:\n  nightly:\n    ${KEY}${lines.replace(/\n/g, '\n    ')}`;
  const profile = parseProfiles('profiles.yaml', text).get('nightly');
  if (profile === undefined) throw new Error('no profile');
  return profileCredentials(profile, { environment: {}, ...context });
}

describe('the credentials of a profile', () => {
  const canary = secretCanary();
  let store: LoopbackSecretStore;
  let restore: () => void;

  const rotate = (password: string): void => {
    store.put('prod/portico', JSON.stringify({ username: 'nightly', password }));
  };

  beforeEach(async () => {
    store = await startSecretsManager();
    restore = setEnvironment(awsEnvironment(store));
    rotate(canary.value);
  });
  afterEach(async () => {
    restore();
    await store.close();
  });

  it('take user name and password from one fetch of their secret', async () => {
    const credentials = credentialsOf(`${FROM_SECRETS_MANAGER}\nmode: ldap\napplicationType: 35`);

    const expected = { username: 'nightly', password: canary.value, mode: 'ldap', applicationType: 35 };
    expect(await credentials()).toEqual(expected);
    expect(store.fetches).toBe(1);
  });

  it('come from as many stores as the profile names', async () => {
    const parameters = await startParameterStore();
    const undo = setEnvironment({ AWS_ENDPOINT_URL_SSM: parameters.url });
    try {
      parameters.put('/prod/password', 'from the parameter store');
      const credentials = credentialsOf(
        '\nusername: { store: env, name: WHO }\npassword: { store: parameter_store, name: /prod/password }',
        { environment: { WHO: 'nightly' } },
      );

      expect(await credentials()).toEqual({ username: 'nightly', password: 'from the parameter store' });
    } finally {
      undo();
      await parameters.close();
    }
  });

  it('come from Vault by a login that the profile names, with its secret in a file', async () => {
    const vault = await startVault();
    const secretIdFile = textFile('secret-id', `${VAULT_ROLE.secretId}\n`);
    try {
      vault.put('secret/prod/portico', JSON.stringify({ username: 'nightly', password: canary.value }));
      const login = `{ method: approle, roleId: ${VAULT_ROLE.roleId}, secretIdFile: ${secretIdFile} }`;
      const source = `{ store: vault, path: prod/portico, login: ${login}, key:`;
      const credentials = credentialsOf(`\nusername: ${source} username }\npassword: ${source} password }`, {
        environment: { VAULT_ADDR: vault.url },
      });

      expect(await credentials()).toEqual({ username: 'nightly', password: canary.value });
      expect({ logins: vault.logins, fetches: vault.fetches }).toEqual({ logins: 1, fetches: 1 });
    } finally {
      await vault.close();
    }
  });

  it.each([
    ['no login, by the token of the environment', () => ''],
    ['a token in a file', () => `, login: { method: token, tokenFile: ${textFile('token', VAULT_TOKEN)} }`],
    [
      'a role without a secret ID',
      () => `, login: { method: approle, roleId: ${VAULT_ROLE.roleId}, mount: bound-approle }`,
    ],
    [
      'the service account of a pod',
      () => `, login: { method: kubernetes, role: portico, tokenFile: ${textFile('jwt', VAULT_JWT)} }`,
    ],
  ])('come from Vault with %s', async (_what, login) => {
    const vault = await startVault();
    try {
      vault.put('secret/prod/portico', JSON.stringify({ key: canary.value }));
      const credentials = credentialsOf(
        `\napiKey: { store: vault, path: prod/portico, key: key${login()} }`,
        {
          environment: login() === '' ? vaultEnvironment(vault) : { VAULT_ADDR: vault.url },
        },
      );

      expect(await credentials()).toEqual({ apiKey: canary.value });
    } finally {
      await vault.close();
    }
  });

  it('cost one fetch for 50 logins together', async () => {
    const credentials = credentialsOf(FROM_SECRETS_MANAGER);

    await Promise.all(Array.from({ length: 50 }, async () => credentials()));

    expect(store.fetches).toBe(1);
  });

  it('are fetched again for each login, so that a rotated secret is used', async () => {
    const credentials = credentialsOf(FROM_SECRETS_MANAGER);
    await credentials();

    rotate('rotated');

    expect(await credentials()).toMatchObject({ password: 'rotated' });
  });

  it('are kept for ttlSeconds, unless they are dropped', async () => {
    let now = 0;
    const credentials = credentialsOf(`${FROM_SECRETS_MANAGER}\nttlSeconds: 60`, { now: () => now });
    await credentials();
    rotate('second');
    now = 59_999;
    expect(await credentials()).toMatchObject({ password: canary.value });

    credentials.forget();
    expect(await credentials()).toMatchObject({ password: 'second' });

    rotate('third');
    now += 60_000;
    expect(await credentials()).toMatchObject({ password: 'third' });
  });

  it('name the store and the secret that failed, and are fetched again for the next login', async () => {
    const credentials = credentialsOf(`${FROM_SECRETS_MANAGER}\nttlSeconds: 60`);
    store.become('denied');
    const expected = { store: 'secrets_manager', secret: 'prod/portico', reason: 'DENIED' } as const;
    await expectCredentialError(credentials, expected, canary);

    store.become('ready');

    expect(await credentials()).toMatchObject({ password: canary.value });
  });

  it('do not appear when their source is inspected', async () => {
    const credentials = credentialsOf(`${FROM_SECRETS_MANAGER}\nttlSeconds: 60`);
    await credentials();

    expect(canary.isIn(credentials)).toBe(false);
  });
});
