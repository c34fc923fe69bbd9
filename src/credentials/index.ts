export { CredentialError, type CredentialReason, type CredentialStore } from './credential-error.js';
export { type CredentialProvider } from './credential-provider.js';
export { env, type EnvParameters } from './env.js';
export { file, type FileParameters } from './file.js';
export { keyVault, KeyVaultSecret, type KeyVaultParameters } from './key-vault.js';
export { parameterStore, ParameterStoreValues, type ParameterStoreParameters } from './parameter-store.js';
export { secretManager, SecretManagerSecret, type SecretManagerParameters } from './secret-manager.js';
export { secretsManager, SecretsManagerSecret, type SecretsManagerParameters } from './secrets-manager.js';
