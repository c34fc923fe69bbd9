import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeyObject, verify } from 'node:crypto';
import { secretManager, SecretManagerSecret } from '../../../src/credentials/index.js';
import { secretStoreConformance, type StoreAddress } from '../../conformance/secret-store.conformance.js';
import { type LoopbackSecretStore } from '../../support/credentials/stores/loopback-secret-store.js';
import { setEnvironment } from '../../support/credentials/process-environment.js';
import { startFaultyEndpoint } from '../../support/credentials/stores/faulty-endpoint.js';
import { serviceAccountKey, workloadIdentityAt } from '../../support/credentials/stores/google-logins.js';
import {
  SECRET_MANAGER_WITHOUT_LOGIN,
  secretManagerEnvironment,
  startSecretManager,
} from '../../support/credentials/stores/secret-manager-secret-store.js';

const project = 'example';
const secretId = 'portico';

/** The store's address: the SDK has no variable for it. */
const secretOf = ({ url, port }: StoreAddress) => ({
  project,
  secretId,
  clientOptions: { apiEndpoint: '127.0.0.1', port, protocol: new URL(url).protocol.slice(0, -1) },
});

describe('secretManager', () => {
  secretStoreConformance({
    store: 'secret_manager',
    secret: 'projects/example/secrets/portico/versions/latest',
    takesKey: true,
    holdsBytes: true,
    startStore: () => startSecretManager(),
    environment: secretManagerEnvironment,
    loginEnvironment: secretManagerEnvironment,
    loginAt: workloadIdentityAt,
    noLogin: SECRET_MANAGER_WITHOUT_LOGIN,
    provider: (store, options) => secretManager({ ...secretOf(store), ...options }),
    group: (store, options) => {
      const group = new SecretManagerSecret({ ...secretOf(store), ...options });
      return { group, provider: () => group.field() };
    },
  });

  describe('with more than one secret or version', () => {
    let store: LoopbackSecretStore;
    let restore: () => void;

    beforeEach(async () => {
      store = await startSecretManager();
      restore = setEnvironment(secretManagerEnvironment(store));
      store.put('projects/example/secrets/portico/versions/latest', 'new');
      store.put('projects/example/secrets/portico/versions/7', 'old');
    });
    afterEach(async () => {
      restore();
      await store.close();
    });

    it('returns the named version', async () => {
      expect(await secretManager({ ...secretOf(store), version: '7' })()).toBe('old');
    });

    it('logs in once for all fetches of a secret', async () => {
      const provider = secretManager(secretOf(store));
      await provider();
      const logins = store.preludes;

      await provider();

      expect(store.fetches).toBe(2);
      expect(store.preludes).toBe(logins);
    });
  });

  describe('with the key file of a service account', () => {
    it('signs its own token, and requests none', async () => {
      const tokens = await startFaultyEndpoint('403');
      const { environment, publicKey } = serviceAccountKey(`${tokens.url}/token`);
      const store = await startSecretManager({
        isToken: (token) => isSignedBy(publicKey, token),
      });
      const restore = setEnvironment(environment);
      try {
        store.put('projects/example/secrets/portico/versions/latest', 'by key file');

        expect(await secretManager(secretOf(store))()).toBe('by key file');
        expect(tokens.requests).toBe(0);
      } finally {
        restore();
        await store.close();
        await tokens.close();
      }
    });
  });

  describe("with a machine's metadata server", () => {
    it.each([
      ['503', 'UNREACHABLE'],
      ['404', 'NOT_CONFIGURED'],
    ] as const)('reads its answer %s as %s', async (fault, reason) => {
      const metadata = await startFaultyEndpoint(fault);
      const store = await startSecretManager();
      const restore = setEnvironment(secretManagerEnvironment(metadata));
      try {
        await expect(secretManager(secretOf(store))()).rejects.toMatchObject({ reason });
        expect(metadata.requests).toBeGreaterThan(0);
        expect(store.fetches).toBe(0);
      } finally {
        restore();
        await store.close();
        await metadata.close();
      }
    });
  });
});

/** Whether a token is a JWT that the key of a service account has signed for this service, and still holds. */
function isSignedBy(publicKey: KeyObject, token: string): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') as Record<string, unknown>;
  return (
    verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url')) &&
    claims.iss === 'portico@example.iam.gserviceaccount.com' &&
    (claims.scope === 'https://www.googleapis.com/auth/cloud-platform' ||
      claims.aud === 'https://secretmanager.googleapis.com/') &&
    Number(claims.exp) > Date.now() / 1000
  );
}
