import { describe, expect, it } from 'vitest';
import { keyVault, KeyVaultSecret } from '../../../src/credentials/index.js';
import { secretStoreConformance, type StoreAddress } from '../../conformance/secret-store.conformance.js';
import {
  azureLoginAt,
  KEY_VAULT_WITHOUT_LOGIN,
  keyVaultEnvironment,
} from '../../support/credentials/stores/key-vault-logins.js';
import { setEnvironment } from '../../support/credentials/process-environment.js';
import { startKeyVault } from '../../support/credentials/stores/key-vault-secret-store.js';

const secretName = 'portico';

/** What a vault on plain loopback HTTP needs: the SDK has no variable for it. */
const clientOptions = { allowInsecureConnection: true, disableChallengeResourceVerification: true };

const secretOf = (store: StoreAddress) => ({ vaultUrl: store.url, secretName, clientOptions });

describe('keyVault', () => {
  secretStoreConformance({
    store: 'key_vault',
    secret: secretName,
    takesKey: true,
    holdsBytes: false,
    readsBlank: 'MALFORMED',
    startStore: startKeyVault,
    environment: keyVaultEnvironment,
    loginEnvironment: keyVaultEnvironment,
    loginAt: azureLoginAt,
    noLogin: KEY_VAULT_WITHOUT_LOGIN,
    provider: (store, options) => keyVault({ ...secretOf(store), ...options }),
    group: (store, options) => {
      const group = new KeyVaultSecret({ ...secretOf(store), ...options });
      return { group, provider: () => group.field() };
    },
  });

  it.each([
    ['500 with HTML', 'UNREACHABLE'],
    ['malformed', 'MALFORMED'],
    ['breaking-off', 'UNREACHABLE'],
  ] as const)('reads a later answer that is %s as %s', async (mood, reason) => {
    const store = await startKeyVault();
    const restore = setEnvironment(keyVaultEnvironment(store));
    try {
      store.put(secretName, 'secret');
      const provider = keyVault({ ...secretOf(store), timeoutMs: 60_000 });
      await provider();
      store.become(mood);

      await expect(provider()).rejects.toMatchObject({ reason });
    } finally {
      restore();
      await store.close();
    }
  });
});
