import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AWS_WITHOUT_LOGIN, awsEnvironment } from '../../support/credentials/stores/aws-environment.js';
import { type Outcome } from '../../support/credentials/every-provider-process.js';
import {
  KEY_VAULT_WITHOUT_LOGIN,
  keyVaultEnvironment,
} from '../../support/credentials/stores/key-vault-logins.js';
import { startKeyVault } from '../../support/credentials/stores/key-vault-secret-store.js';
import { type LoopbackSecretStore } from '../../support/credentials/stores/loopback-secret-store.js';
import { startParameterStore } from '../../support/credentials/stores/parameter-store-secret-store.js';
import { secretCanary } from '../../support/secrets/secret-canary.js';
import {
  SECRET_MANAGER_WITHOUT_LOGIN,
  secretManagerEnvironment,
  startSecretManager,
} from '../../support/credentials/stores/secret-manager-secret-store.js';
import {
  startVault,
  VAULT_WITHOUT_LOGIN,
  vaultEnvironment,
} from '../../support/credentials/stores/vault-secret-store.js';
import { startSecretsManager } from '../../support/credentials/stores/secrets-manager-secret-store.js';

const entry = new URL('../../../dist/credentials/index.js', import.meta.url).href;
const script = fileURLToPath(new URL('../../support/credentials/every-provider-process.ts', import.meta.url));

const PACKAGES = {
  '@aws-sdk/client-secrets-manager': 'secretsManager',
  '@aws-sdk/client-ssm': 'parameterStore',
  '@azure/identity': 'keyVault',
  '@azure/keyvault-secrets': 'keyVault',
  '@google-cloud/secret-manager': 'secretManager',
} as const;

describe('the SDKs of the secret stores', () => {
  const canary = secretCanary();
  const found = { sha256: createHash('sha256').update(canary.value).digest('hex') };
  let stores: readonly LoopbackSecretStore[];
  let environment: NodeJS.ProcessEnv;
  let parameters: Record<string, object>;

  beforeAll(async () => {
    const secretsManager = await startSecretsManager();
    const parameterStore = await startParameterStore();
    const keyVault = await startKeyVault();
    const secretManager = await startSecretManager();
    const vault = await startVault();
    stores = [secretsManager, parameterStore, keyVault, secretManager, vault];
    secretsManager.put('portico', canary.value);
    parameterStore.put('portico', canary.value);
    keyVault.put('portico', canary.value);
    secretManager.put('projects/example/secrets/portico/versions/latest', canary.value);
    vault.put('secret/portico', canary.value);
    environment = {
      ...process.env,
      ...awsEnvironment(secretsManager),
      AWS_ENDPOINT_URL_SSM: parameterStore.url,
      ...keyVaultEnvironment(keyVault),
      ...secretManagerEnvironment(secretManager),
      ...vaultEnvironment(vault),
      PORTICO_PASSWORD: canary.value,
    };
    // A busy machine may need longer than five seconds to load an SDK.
    const timeoutMs = 60_000;
    parameters = {
      secretsManager: { secretId: 'portico', timeoutMs },
      parameterStore: { name: 'portico', timeoutMs },
      keyVault: {
        timeoutMs,
        vaultUrl: keyVault.url,
        secretName: 'portico',
        clientOptions: { allowInsecureConnection: true, disableChallengeResourceVerification: true },
      },
      secretManager: {
        timeoutMs,
        project: 'example',
        secretId: 'portico',
        clientOptions: { apiEndpoint: '127.0.0.1', port: secretManager.port, protocol: 'http' },
      },
      vault: { path: 'portico', key: 'value', timeoutMs },
      env: { name: 'PORTICO_PASSWORD' },
    };
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  const askEveryProvider = async (variables: NodeJS.ProcessEnv, missing: string[] = []) => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [script, entry, JSON.stringify(parameters), ...missing],
      { env: { ...environment, ...variables } },
    );
    const outcomes = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, Outcome>;
    return { outcomes, output: stdout + stderr };
  };

  it('return their secrets in a process of the built package', async () => {
    const { outcomes } = await askEveryProvider({});

    expect(outcomes).toEqual(Object.fromEntries(Object.keys(parameters).map((name) => [name, found])));
  });

  it.each(Object.entries(PACKAGES))(
    'are optional: without %s only %s fails, and names it',
    async (name, provider) => {
      const { outcomes } = await askEveryProvider({}, [name]);

      const { [provider]: failed, ...others } = outcomes;
      expect(failed?.reason).toBe('MISSING_SDK');
      expect(failed?.message).toContain(`npm install ${name}`);
      expect(Object.values(others)).toEqual(Array(5).fill(found));
    },
  );

  it('reject with an error, and keep the process alive, without a login', async () => {
    const { outcomes } = await askEveryProvider({
      ...AWS_WITHOUT_LOGIN,
      ...KEY_VAULT_WITHOUT_LOGIN,
      ...SECRET_MANAGER_WITHOUT_LOGIN,
      ...VAULT_WITHOUT_LOGIN,
    });

    const reasons = Object.entries(outcomes).map(([name, { reason }]) => [name, reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      secretsManager: 'NOT_CONFIGURED',
      parameterStore: 'NOT_CONFIGURED',
      keyVault: 'NOT_CONFIGURED',
      secretManager: 'NOT_CONFIGURED',
      vault: 'NOT_CONFIGURED',
      env: undefined,
    });
  });

  it('show no secret in their debug logs', async () => {
    const { outcomes, output } = await askEveryProvider({
      GOOGLE_SDK_NODE_LOGGING: 'all',
      AZURE_LOG_LEVEL: 'verbose',
    });

    expect(Object.values(outcomes)).toEqual(Array(6).fill(found));
    expect(output).toContain('azure:');
    expect(canary.isIn(output)).toBe(false);
  });
});
