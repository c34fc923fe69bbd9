export { type CredentialProvider } from '../client/index.js';
export { CredentialError, type CredentialReason } from '../errors/credential-error.js';
export {
  CredentialProfiles,
  type CredentialProfilesOptions,
  type ProfileLogin,
  type ProfileResolution,
} from './credential-profiles.js';
export { type CredentialStore } from './credential-source.js';
export { CredentialProfilesError, problemsInProfiles } from './parse-profiles.js';
export { env, type EnvParameters } from './providers/env.js';
export { file, type FileParameters } from './providers/file.js';
export { keyVault, type KeyVaultParameters, KeyVaultSecret } from './providers/key-vault.js';
export {
  parameterStore,
  type ParameterStoreParameters,
  ParameterStoreValues,
} from './providers/parameter-store.js';
export {
  secretManager,
  type SecretManagerParameters,
  SecretManagerSecret,
} from './providers/secret-manager.js';
export {
  secretsManager,
  type SecretsManagerParameters,
  SecretsManagerSecret,
} from './providers/secrets-manager.js';
export { type VaultLogin } from './providers/vault-server.js';
export { vault, type VaultParameters, VaultSecret } from './providers/vault.js';
