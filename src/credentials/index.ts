export { type Once } from './providers/once.js';
export { CredentialError, type CredentialReason, type CredentialStore } from '../errors/credential-error.js';
export { type CredentialProvider } from '../client/index.js';
export { env, type EnvParameters } from './providers/env.js';
export { file, type FileParameters } from './providers/file.js';
export { keyVault, KeyVaultSecret, type KeyVaultParameters } from './providers/key-vault.js';
export {
  parameterStore,
  ParameterStoreValues,
  type ParameterStoreParameters,
} from './providers/parameter-store.js';
export {
  secretManager,
  SecretManagerSecret,
  type SecretManagerParameters,
} from './providers/secret-manager.js';
export {
  secretsManager,
  SecretsManagerSecret,
  type SecretsManagerParameters,
} from './providers/secrets-manager.js';
export { CredentialProfiles, type CredentialProfilesOptions } from './profiles/credential-profiles.js';
export { CredentialProfilesError } from './profiles/credential-profiles-error.js';
export { type ProfileLogin } from './profiles/profile-credentials.js';
export { logInByProfile } from './profiles/profile-login.js';
export { type ProfileResolution } from './profiles/profile-resolution.js';
