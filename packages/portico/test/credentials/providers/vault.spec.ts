import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CredentialError,
  type CredentialProvider,
  env,
  vault,
  type VaultParameters,
  VaultSecret,
} from '../../../src/credentials/index.js';
import { secretStoreConformance } from '../../conformance/secret-store.conformance.js';
import { makeCertificate } from '../../support/client/certificate.js';
import { expectCredentialError } from '../../support/credentials/expect-credential-error.js';
import {
  type LoopbackVault,
  startVault,
  VAULT_JWT,
  VAULT_ROLE,
  VAULT_TOKEN,
  VAULT_WITHOUT_LOGIN,
  vaultEnvironment,
} from '../../support/credentials/stores/vault-secret-store.js';
import { secretCanary } from '../../support/secrets/secret-canary.js';

const path = 'prod/portico';

describe('vault', () => {
  secretStoreConformance({
    store: 'vault',
    secret: 'secret/prod/portico',
    takesKey: true,
    holdsObjectsOnly: true,
    holdsBytes: false,
    readsBlank: 'MALFORMED',
    startStore: () => startVault(),
    environment: vaultEnvironment,
    noLogin: VAULT_WITHOUT_LOGIN,
    loginAt: (url) => ({
      environment: { VAULT_ADDR: url },
      options: { login: { method: 'approle', ...VAULT_ROLE } },
    }),
    provider: (_, { key = 'value', ...options }) => vault({ path, key, ...options }),
    group: (_, options) => {
      const group = new VaultSecret({ path, ...options });
      return { group, provider: () => group.field('value') };
    },
  });
});

describe('a secret of Vault', () => {
  const canary = secretCanary();
  let store: LoopbackVault;
  const approle = { method: 'approle', ...VAULT_ROLE } as const;

  beforeEach(async () => {
    store = await startVault();
    store.put('secret/prod/portico', JSON.stringify({ username: 'nightly', password: canary.value }));
  });
  afterEach(() => store.close());

  const secret = (parameters: Partial<VaultParameters> = {}): VaultSecret =>
    new VaultSecret({ path, environment: vaultEnvironment(store), ttlSeconds: 0, ...parameters });
  const reasonOf = (provider: CredentialProvider) =>
    Promise.resolve(provider()).then(
      () => 'a credential',
      (error: unknown) => (error as CredentialError).reason,
    );

  it('serves each of its keys from one fetch, and all of them as a JSON object', async () => {
    const group = new VaultSecret({ path, environment: vaultEnvironment(store) });

    expect(await group.field('username')()).toBe('nightly');
    expect(await group.field('password')()).toBe(canary.value);
    expect(JSON.parse(await group.field()())).toEqual({ username: 'nightly', password: canary.value });
    expect(store.fetches).toBe(1);
  });

  it('is read from an engine of version 1, from another mount, and in the version that is named', async () => {
    store.put('kv/prod/portico', '{"password":"from version 1"}');
    store.put('secret/prod/portico@3', '{"password":"the third"}');

    expect(await secret({ mount: 'kv', kvVersion: 1 }).field('password')()).toBe('from version 1');
    expect(await secret({ version: 3 }).field('password')()).toBe('the third');
    expect(await reasonOf(secret({ version: 4 }).field('password'))).toBe('NOT_FOUND');
    expect(await reasonOf(secret({ mount: 'kv', kvVersion: 2 }).field())).toBe('NOT_FOUND');
  });

  it('may have any characters in its path', async () => {
    store.put('secret/prod/a b?c#d', '{"password":"odd"}');

    expect(await secret({ path: 'prod/a b?c#d' }).field('password')()).toBe('odd');
  });

  it('logs in by AppRole once, for as long as nine tenths of the lease', async () => {
    let now = 0;
    const field = secret({ login: approle, now: () => now }).field('password');
    await field();
    now = 3_239_999;
    await field();
    expect(store.logins).toBe(1);

    now = 3_240_000;
    expect(await field()).toBe(canary.value);
    expect(store.logins).toBe(2);
  });

  it.each([[0], [undefined]])(
    'logs in once where the lease is %s: such a token does not end',
    async (lease) => {
      let now = 0;
      store.lend(lease);
      const field = secret({ login: approle, now: () => now }).field('password');
      await field();
      now = 1e12;
      await field();

      expect(store.logins).toBe(1);
    },
  );

  it('logs in without a secret ID where the role is bound in another way', async () => {
    const login = { method: 'approle', roleId: VAULT_ROLE.roleId, mount: '/bound-approle/' } as const;

    expect(await secret({ login }).field('password')()).toBe(canary.value);
  });

  it('takes the token that there is at each fetch', async () => {
    const tokens = [VAULT_TOKEN, 'wrong'];
    const field = secret({ login: { method: 'token', token: () => tokens.shift() ?? '' } }).field('password');
    await field();

    expect(await reasonOf(field)).toBe('DENIED');
  });

  it('is asked for by a login in JSON without a token, and then by the token of the login', async () => {
    await secret({ login: approle }).field('password')();

    expect(store.lastLogin).toMatchObject({ 'content-type': 'application/json', 'x-vault-request': 'true' });
    expect(store.lastLogin).not.toHaveProperty('x-vault-token');
    expect(store.lastRequest).toMatchObject({ 'x-vault-token': 'hvs.login-1' });
    expect(store.lastRequest).not.toHaveProperty('content-type');
  });

  it('logs in again, once, when the token of an earlier login is refused', async () => {
    const field = secret({ login: approle }).field('password');
    await field();
    store.revoke();

    expect(await field()).toBe(canary.value);
    expect(store.logins).toBe(2);

    store.become('denied');
    expect(await reasonOf(field)).toBe('DENIED');
    expect(store.logins).toBe(3);
  });

  it('logs in once for 50 callers', async () => {
    const group = secret({ login: approle });

    await Promise.all(Array.from({ length: 50 }, async () => group.field('password')()));

    expect({ logins: store.logins, fetches: store.fetches }).toEqual({ logins: 1, fetches: 1 });
  });

  it('asks for a secret ID or a token each time, and names the store that has none', async () => {
    const environment = { SECRET_ID: 'wrong' };
    const secretId = env({ name: 'SECRET_ID', environment });
    const field = secret({ login: { ...approle, secretId, mount: 'team-approle' } }).field('password');
    expect(await reasonOf(field)).toBe('DENIED');

    environment.SECRET_ID = VAULT_ROLE.secretId;
    expect(await field()).toBe(canary.value);

    const token = env({ name: 'TOKEN', environment });
    await expectCredentialError(
      secret({ login: { method: 'token', token } }).field(),
      { store: 'env', secret: 'TOKEN', reason: 'NOT_FOUND' },
      canary,
    );
  });

  it('logs in by the service account of a pod, whose token is read at each login', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-vault-'));
    const tokenFile = join(folder, 'token');
    try {
      const login = { method: 'kubernetes', role: 'portico', tokenFile } as const;
      const field = secret({ login }).field('password');
      expect(await reasonOf(field)).toBe('NOT_CONFIGURED');

      await writeFile(tokenFile, `${VAULT_JWT}\n`);
      expect(await field()).toBe(canary.value);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is read in the given namespace, or in that of the environment', async () => {
    await secret({ namespace: 'team-a' }).field()();
    expect(store.lastRequest?.['x-vault-namespace']).toBe('team-a');

    const environment = { ...vaultEnvironment(store), VAULT_NAMESPACE: 'team-b' };
    await secret({ environment }).field()();
    expect(store.lastRequest?.['x-vault-namespace']).toBe('team-b');
  });

  it("takes OpenBao's variables before Vault's, and an empty one as not set", async () => {
    const environment = {
      BAO_ADDR: store.url,
      BAO_TOKEN: '',
      VAULT_ADDR: 'http://127.0.0.1:9',
      VAULT_TOKEN,
    };

    expect(await secret({ environment }).field('username')()).toBe('nightly');
  });

  it('reads NOT_CONFIGURED without an address, or with one that cannot be used', async () => {
    for (const VAULT_ADDR of [undefined, '', 'vault:8200', 'ftp://vault']) {
      const environment = { VAULT_ADDR, VAULT_TOKEN };
      expect(await reasonOf(secret({ environment }).field())).toBe('NOT_CONFIGURED');
    }
  });

  it('says in words what is not configured, and which secret there is not', async () => {
    await expect(secret({ environment: { VAULT_TOKEN } }).field()()).rejects.toThrow(
      'no address: set VAULT_ADDR',
    );
    await expect(secret({ path: 'nothing' }).field()()).rejects.toThrow(
      'no such secret in a key/value engine of version 2',
    );
  });

  it('may have an address with slashes at its end', async () => {
    expect(await secret({ address: `${store.url}//` }).field('username')()).toBe('nightly');
  });

  it('is MALFORMED as a whole where the answer has none', async () => {
    store.become('malformed');

    expect(await reasonOf(secret().field())).toBe('MALFORMED');
  });

  it('trusts the certificate authorities of the file, and says when that cannot be read', async () => {
    const certificate = await makeCertificate();
    const overTls = await startVault(certificate);
    try {
      overTls.put('secret/prod/portico', '{"username":"over TLS"}');
      const environment = { ...vaultEnvironment(overTls), VAULT_CACERT: certificate.path };

      expect(await secret({ environment }).field('username')()).toBe('over TLS');
      expect(await reasonOf(secret({ environment, caFile: '/nonexistent' }).field())).toBe('NOT_CONFIGURED');
    } finally {
      await overTls.close();
    }
  });

  it('shows no token, secret ID or secret in an error', async () => {
    const token = secretCanary('TOKEN');
    const expected = { store: 'vault', secret: 'secret/prod/portico', reason: 'DENIED' } as const;
    const asked = secret({ login: { method: 'token', token: token.value } });
    const error = await expectCredentialError(asked.field(), expected, canary);
    expect(token.isIn(error)).toBe(false);
    expect(token.isIn(asked)).toBe(false);

    const secretId = secretCanary('ID');
    const login = { ...approle, secretId: secretId.value };
    expect(secretId.isIn(await expectCredentialError(secret({ login }).field(), expected, canary))).toBe(
      false,
    );
  });

  it('sends its token to no other address: a redirect is not followed', async () => {
    const stranger = await startVault();
    const redirecting = createServer((request, response) =>
      response.writeHead(307, { location: `${stranger.url}${request.url ?? ''}` }).end(),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = redirecting.address() as AddressInfo;

      expect(await reasonOf(secret({ address: `http://127.0.0.1:${port}` }).field())).toBe('MALFORMED');
      expect(stranger.preludes + stranger.fetches).toBe(0);
    } finally {
      redirecting.close();
      redirecting.closeAllConnections();
      await stranger.close();
    }
  });

  it('reads an answer that is larger than any secret as MALFORMED', async () => {
    store.put('secret/prod/portico', JSON.stringify({ password: 'x'.repeat(3 * 1024 * 1024) }));

    expect(await reasonOf(secret().field('password'))).toBe('MALFORMED');
  });
});
