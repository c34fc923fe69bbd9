// Every store that a credential can come from. A new one is a file next to this one and a line here: profiles find its
// definition among these exports.
export { env, type EnvParameters, envStore } from './env.js';
export { file, type FileParameters, fileStore } from './file.js';
export { keyVault, type KeyVaultParameters, KeyVaultSecret, keyVaultStore } from './key-vault.js';
export {
  parameterStore,
  type ParameterStoreParameters,
  parameterStoreStore,
  ParameterStoreValues,
} from './parameter-store.js';
export {
  secretManager,
  type SecretManagerParameters,
  SecretManagerSecret,
  secretManagerStore,
} from './secret-manager.js';
export {
  secretsManager,
  type SecretsManagerParameters,
  SecretsManagerSecret,
  secretsManagerStore,
} from './secrets-manager.js';
export { vault, type VaultParameters, VaultSecret, vaultStore } from './vault.js';
