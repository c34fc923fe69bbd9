import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { secretManager, SecretManagerSecret } from '../../../src/credentials/index.js';
import { secretStoreConformance } from '../../conformance/secret-store.conformance.js';
import { type LoopbackSecretStore } from '../../support/credentials/loopback-secret-store.js';
import { setEnvironment } from '../../support/credentials/process-environment.js';
import {
  SECRET_MANAGER_WITHOUT_LOGIN,
  secretManagerEnvironment,
  startSecretManager,
} from '../../support/credentials/secret-manager-secret-store.js';

const project = 'example';
const secretId = 'portico';

/** The store's address: the SDK has no variable for it. */
const secretOf = ({ port }: LoopbackSecretStore) => ({
  project,
  secretId,
  clientOptions: { apiEndpoint: '127.0.0.1', port, protocol: 'http' },
});

describe('secretManager', () => {
  secretStoreConformance({
    store: 'secret_manager',
    secret: 'projects/example/secrets/portico/versions/latest',
    takesKey: true,
    holdsBytes: true,
    startStore: startSecretManager,
    environment: secretManagerEnvironment,
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

    it('gives the version that is named', async () => {
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
});
