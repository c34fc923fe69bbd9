import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secretsManager, SecretsManagerSecret } from '../../../src/credentials/index.js';
import { secretStoreConformance } from '../../conformance/secret-store.conformance.js';
import {
  AWS_WITHOUT_LOGIN,
  awsEnvironment,
  awsLoginAt,
} from '../../support/credentials/stores/aws-environment.js';
import { expectCredentialError } from '../../support/credentials/expect-credential-error.js';
import { type LoopbackSecretStore } from '../../support/credentials/stores/loopback-secret-store.js';
import { setEnvironment } from '../../support/credentials/process-environment.js';
import { secretCanary } from '../../support/secrets/secret-canary.js';
import { startSecretsManager } from '../../support/credentials/stores/secrets-manager-secret-store.js';

const secretId = 'prod/portico';

describe('secretsManager', () => {
  secretStoreConformance({
    store: 'secrets_manager',
    secret: secretId,
    takesKey: true,
    holdsBytes: true,
    startStore: startSecretsManager,
    environment: awsEnvironment,
    loginAt: awsLoginAt,
    noLogin: AWS_WITHOUT_LOGIN,
    provider: (_, options) => secretsManager({ secretId, ...options }),
    group: (_, options) => {
      const group = new SecretsManagerSecret({ secretId, ...options });
      return { group, provider: () => group.field() };
    },
  });

  describe('in a region', () => {
    const canary = secretCanary();
    let store: LoopbackSecretStore;
    let restore: () => void;

    beforeEach(async () => {
      store = await startSecretsManager();
      store.put(secretId, JSON.stringify({ username: 'nightly', password: canary.value }));
      restore = setEnvironment({
        ...awsEnvironment(store),
        AWS_REGION: undefined,
        AWS_DEFAULT_REGION: undefined,
      });
    });
    afterEach(async () => {
      restore();
      await store.close();
    });

    it('serves each field of a group from one fetch', async () => {
      const secret = new SecretsManagerSecret({ secretId, regionName: 'eu-west-1' });

      expect(await secret.field('username')()).toBe('nightly');
      expect(await secret.field('password')()).toBe(canary.value);
      expect(store.fetches).toBe(1);
    });

    it('signs for the region that is named', async () => {
      await secretsManager({ secretId, regionName: 'ap-south-1' })();

      expect(store.lastRequest?.authorization).toContain('/ap-south-1/secretsmanager/aws4_request');
    });

    it('reports NOT_CONFIGURED when there is no region anywhere', async () => {
      const expected = { store: 'secrets_manager', secret: secretId, reason: 'NOT_CONFIGURED' } as const;

      await expectCredentialError(secretsManager({ secretId }), expected, canary);
    });

    it('uses a corrected secret after one that lacked the key', async () => {
      const secret = new SecretsManagerSecret({ secretId, regionName: 'eu-west-1' });
      const expected = { store: 'secrets_manager', secret: secretId, reason: 'MISSING_KEY' } as const;
      await expectCredentialError(secret.field('apiKey'), expected, canary);

      store.put(secretId, JSON.stringify({ apiKey: 'corrected' }));

      expect(await secret.field('apiKey')()).toBe('corrected');
    });
  });
});
