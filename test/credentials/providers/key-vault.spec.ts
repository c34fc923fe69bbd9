import { describe } from '@jest/globals';
import { keyVault, KeyVaultSecret } from '../../../src/credentials/index.js';
import { secretStoreConformance } from '../../conformance/secret-store.conformance.js';
import {
  KEY_VAULT_WITHOUT_LOGIN,
  keyVaultEnvironment,
  startKeyVault,
} from '../../support/credentials/key-vault-secret-store.js';
import { type LoopbackSecretStore } from '../../support/credentials/loopback-secret-store.js';

const secretName = 'portico';

/** What a vault on plain loopback HTTP needs: the SDK has no variable for it. */
const clientOptions = { allowInsecureConnection: true, disableChallengeResourceVerification: true };

const secretOf = (store: LoopbackSecretStore) => ({ vaultUrl: store.url, secretName, clientOptions });

describe('keyVault', () => {
  secretStoreConformance({
    store: 'key_vault',
    secret: secretName,
    takesKey: true,
    holdsBytes: false,
    startStore: startKeyVault,
    environment: keyVaultEnvironment,
    noLogin: KEY_VAULT_WITHOUT_LOGIN,
    provider: (store, options) => keyVault({ ...secretOf(store), ...options }),
    group: (store, options) => {
      const group = new KeyVaultSecret({ ...secretOf(store), ...options });
      return { group, provider: () => group.field() };
    },
  });
});
