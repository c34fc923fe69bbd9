import { describe, expect, it } from '@jest/globals';
import { secretManager, SecretManagerSecret } from '../../src/credentials/index.js';
import { secretStoreConformance } from '../conformance/secret-store.conformance.js';
import { type LoopbackSecretStore } from '../support/loopback-secret-store.js';
import { setEnvironment } from '../support/process-environment.js';
import { secretManagerEnvironment, startSecretManager } from '../support/secret-manager-secret-store.js';

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
    noLogin: {
      METADATA_SERVER_DETECTION: 'none',
      GOOGLE_APPLICATION_CREDENTIALS: undefined,
      HOME: '/nonexistent',
    },
    provider: (store, options) => secretManager({ ...secretOf(store), ...options }),
    group: (store, options) => {
      const group = new SecretManagerSecret({ ...secretOf(store), ...options });
      return { group, provider: () => group.field() };
    },
  });

  it('gives the version that is named', async () => {
    const store = await startSecretManager();
    const restore = setEnvironment(secretManagerEnvironment(store));
    try {
      store.put('projects/example/secrets/portico/versions/latest', 'new');
      store.put('projects/example/secrets/portico/versions/7', 'old');

      expect(await secretManager({ ...secretOf(store), version: '7' })()).toBe('old');
    } finally {
      restore();
      await store.close();
    }
  });
});
