import { checkParameters, type Rules, SDK_ACCESS, TEXT } from './check-parameters.js';
import { type CredentialReason } from '../../errors/credential-error.js';
import { type CredentialProvider } from '../../client/index.js';
import { reasonOfStatus, reasonWithoutStatus } from './http-failure.js';
import { loadSdk } from './load-sdk.js';
import { type SdkAccess, type SecretSource, SharedSecret } from './shared-secret.js';

/** A secret of Azure Key Vault. */
export interface KeyVaultParameters extends SdkAccess {
  /** The vault's address, such as `https://example.vault.azure.net`. */
  readonly vaultUrl: string;
  readonly secretName: string;
}

const RULES: Rules = {
  vaultUrl: ['must be an address that begins with https://', isAddress],
  secretName: TEXT,
  ...SDK_ACCESS,
};

/** Plain http only where the SDK is told to allow it: that is for tests. */
function isAddress(value: unknown, { clientOptions }: { readonly clientOptions?: unknown }): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { allowInsecureConnection } = (clientOptions ?? {}) as { allowInsecureConnection?: unknown };
  const { protocol } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && allowInsecureConnection === true);
}

/**
 * A credential from Azure Key Vault (spec, "Credential providers"), asked for with Azure's default credential
 * chain, fetched at each call unless `ttlSeconds` says how long it serves. With `key`, one key of a JSON secret.
 *
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 */
export function keyVault(
  parameters: KeyVaultParameters & { readonly key?: string | undefined },
): CredentialProvider {
  checkParameters('keyVault', parameters, RULES);
  const { key, ttlSeconds = 0 } = parameters;
  return new KeyVaultSecret({ ...parameters, ttlSeconds }).field(key);
}

/** The group variant: the secret is fetched once for all of its fields, and again after `ttlSeconds` if given. */
export class KeyVaultSecret {
  readonly #secret: SharedSecret;

  /** @throws TypeError that names the parameter that cannot be used */
  constructor(parameters: KeyVaultParameters) {
    checkParameters('KeyVaultSecret', parameters, RULES);
    this.#secret = new SharedSecret(sourceOf(parameters), parameters);
  }

  /** The provider of one key of the secret, or of its whole text. */
  field(key?: string): CredentialProvider {
    return this.#secret.field(key);
  }
}

function sourceOf({ vaultUrl, secretName, clientOptions }: KeyVaultParameters): SecretSource {
  const origin = { store: 'key_vault', secret: secretName } as const;
  return {
    origin,
    reasonOf: reasonOfAzureError,
    open: async () => {
      const { DefaultAzureCredential } = await loadSdk(
        origin,
        '@azure/identity',
        () => import('@azure/identity'),
      );
      const { SecretClient } = await loadSdk(
        origin,
        '@azure/keyvault-secrets',
        () => import('@azure/keyvault-secrets'),
      );
      const retryOptions = { maxRetries: 0 };
      const login = new DefaultAzureCredential({ retryOptions });
      const client = new SecretClient(vaultUrl, login, { retryOptions, ...clientOptions });
      return async (abortSignal) => (await client.getSecret(secretName, { abortSignal })).value;
    },
  };
}

/** The chain's own words for "no login is set up here". */
const NO_LOGIN = [
  'CredentialUnavailableError',
  'AggregateAuthenticationError',
  'AuthenticationRequiredError',
];

function reasonOfAzureError(error: unknown): CredentialReason {
  const { name = '', statusCode } = error as { name?: string; statusCode?: number };
  if (NO_LOGIN.includes(name)) return 'NOT_CONFIGURED';
  if (name === 'AuthenticationError') return 'DENIED';
  return statusCode === undefined ? reasonWithoutStatus(error) : reasonOfStatus(statusCode);
}
