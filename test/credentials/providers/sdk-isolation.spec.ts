import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AWS_WITHOUT_LOGIN, awsEnvironment } from '../../support/credentials/aws-environment.js';
import { type Outcome } from '../../support/credentials/every-provider-process.js';
import {
  KEY_VAULT_WITHOUT_LOGIN,
  keyVaultEnvironment,
  startKeyVault,
} from '../../support/credentials/key-vault-secret-store.js';
import { type LoopbackSecretStore } from '../../support/credentials/loopback-secret-store.js';
import { startParameterStore } from '../../support/credentials/parameter-store-secret-store.js';
import { secretCanary } from '../../support/secrets/secret-canary.js';
import {
  SECRET_MANAGER_WITHOUT_LOGIN,
  secretManagerEnvironment,
  startSecretManager,
} from '../../support/credentials/secret-manager-secret-store.js';
import { startSecretsManager } from '../../support/credentials/secrets-manager-secret-store.js';

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
    stores = [secretsManager, parameterStore, keyVault, secretManager];
    secretsManager.put('portico', canary.value);
    parameterStore.put('portico', canary.value);
    keyVault.put('portico', canary.value);
    secretManager.put('projects/example/secrets/portico/versions/latest', canary.value);
    environment = {
      ...process.env,
      ...awsEnvironment(secretsManager),
      AWS_ENDPOINT_URL_SSM: parameterStore.url,
      ...keyVaultEnvironment(keyVault),
      ...secretManagerEnvironment(secretManager),
      PORTICO_PASSWORD: canary.value,
    };
    parameters = {
      secretsManager: { secretId: 'portico' },
      parameterStore: { name: 'portico' },
      keyVault: {
        vaultUrl: keyVault.url,
        secretName: 'portico',
        clientOptions: { allowInsecureConnection: true, disableChallengeResourceVerification: true },
      },
      secretManager: {
        project: 'example',
        secretId: 'portico',
        clientOptions: { apiEndpoint: '127.0.0.1', port: secretManager.port, protocol: 'http' },
      },
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

  it('give their secrets in a process of the built package', async () => {
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
      expect(Object.values(others)).toEqual([found, found, found, found]);
    },
  );

  it('fail by an error, and leave the process alone, where there is no login', async () => {
    const { outcomes } = await askEveryProvider({
      ...AWS_WITHOUT_LOGIN,
      ...KEY_VAULT_WITHOUT_LOGIN,
      ...SECRET_MANAGER_WITHOUT_LOGIN,
    });

    const reasons = Object.entries(outcomes).map(([name, { reason }]) => [name, reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      secretsManager: 'NOT_CONFIGURED',
      parameterStore: 'NOT_CONFIGURED',
      keyVault: 'NOT_CONFIGURED',
      secretManager: 'NOT_CONFIGURED',
      env: undefined,
    });
  });

  it('show no secret in their debug logs', async () => {
    const { outcomes, output } = await askEveryProvider({
      GOOGLE_SDK_NODE_LOGGING: 'all',
      AZURE_LOG_LEVEL: 'verbose',
    });

    expect(Object.values(outcomes)).toEqual(Array(5).fill(found));
    expect(output).toContain('azure:');
    expect(canary.isIn(output)).toBe(false);
  });
});
