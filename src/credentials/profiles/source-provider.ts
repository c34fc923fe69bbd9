import { type CredentialProvider } from '../../client/index.js';
import { env, type EnvParameters } from '../providers/env.js';
import { file } from '../providers/file.js';
import { KeyVaultSecret } from '../providers/key-vault.js';
import { parameterStore } from '../providers/parameter-store.js';
import { SecretManagerSecret } from '../providers/secret-manager.js';
import { SecretsManagerSecret } from '../providers/secrets-manager.js';
import { type CredentialSource } from './credential-source.js';

type ProviderOfKey = (key: string | undefined) => CredentialProvider;

/**
 * Makes the providers of one profile. Sources that name the same secret share their fetches, so that a user name
 * and a password from one secret belong together even while it is rotated.
 */
export function sourceProviders(
  environment: EnvParameters['environment'],
): (source: CredentialSource) => CredentialProvider {
  const secrets = new Map<string, ProviderOfKey>();
  return (source) => {
    const key = 'key' in source ? source.key : undefined;
    const identity = JSON.stringify(source, (name, value: unknown) => (name === 'key' ? undefined : value));
    const secret = secrets.get(identity) ?? providerOfKey(source, environment);
    secrets.set(identity, secret);
    return secret(key);
  };
}

function providerOfKey(source: CredentialSource, environment: EnvParameters['environment']): ProviderOfKey {
  const ttlSeconds = 0;
  switch (source.store) {
    case 'secrets_manager': {
      const { secretId, regionName } = source;
      const secret = new SecretsManagerSecret({ secretId, regionName, ttlSeconds });
      return (key) => secret.field(key);
    }
    case 'parameter_store': {
      const { name, regionName } = source;
      const provider = parameterStore({ name, regionName, ttlSeconds });
      return () => provider;
    }
    case 'key_vault': {
      const { vaultUrl, secretName } = source;
      const secret = new KeyVaultSecret({ vaultUrl, secretName, ttlSeconds });
      return (key) => secret.field(key);
    }
    case 'secret_manager': {
      const { project, secretId, version } = source;
      const secret = new SecretManagerSecret({ project, secretId, version, ttlSeconds });
      return (key) => secret.field(key);
    }
    case 'env':
      return (key) => env({ name: source.name, key, environment });
    case 'file':
      return (key) => file({ path: source.path, key });
  }
}
