import { type CredentialProvider } from '../../client/index.js';
import { CredentialError, type CredentialReason } from '../../errors/credential-error.js';
import { reasonOfStatus, reasonWithoutStatus } from './failure-reasons.js';
import { type HttpOutcome, loadSdk, recordHttpOutcomes, sdkLogin } from './sdk.js';
import { type SdkAccess, type SecretSource, SharedSecret } from './shared-secret.js';
import { checkParameters, optional, rule, SDK_ACCESS, TEXT, type Values } from './rules.js';
import { defineStore } from './store-definition.js';

/**
 * A secret of Azure Key Vault.
 * @example
 * const parameters: KeyVaultParameters = { vaultUrl: 'https://reports.vault.azure.net', secretName: 'login' };
 * const password = keyVault({ ...parameters, key: 'password' });
 */
export interface KeyVaultParameters extends SdkAccess {
  /** The vault's address, such as `https://example.vault.azure.net`. */
  readonly vaultUrl: string;
  readonly secretName: string;
}

const RULES = {
  vaultUrl: rule('must be an address that starts with https:// and contains no login', isAddress),
  secretName: TEXT,
};

/** Plain HTTP only if the SDK is configured to allow it, which is for tests. */
function isAddress(value: unknown, { clientOptions }: Values): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  const { allowInsecureConnection } = (clientOptions ?? {}) as { allowInsecureConnection?: unknown };
  const allowed = protocol === 'https:' || (protocol === 'http:' && allowInsecureConnection === true);
  return allowed && username === '' && password === '';
}

export const keyVaultStore = defineStore('key_vault', {
  rules: { ...RULES, key: optional(TEXT) },
  secret: (parameters: { vaultUrl: string; secretName: string; key?: string }) =>
    new KeyVaultSecret({ ...parameters, ttlSeconds: 0 }),
});

/**
 * A credential from Azure Key Vault (spec, "Credential providers"), with Azure's default credential chain, fetched at
 * each call unless `ttlSeconds` says how long it is kept. With `key`, one key of a JSON secret.
 *
 * @param parameters which secret, and which key of it
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const password = keyVault({ vaultUrl: 'https://reports.vault.azure.net', secretName: 'password' });
 */
export function keyVault(
  parameters: KeyVaultParameters & { readonly key?: string | undefined },
): CredentialProvider {
  checkParameters('keyVault', parameters, { ...RULES, ...SDK_ACCESS, key: optional(TEXT) });
  const { key, ttlSeconds = 0, ...others } = parameters;
  return new KeyVaultSecret({ ...others, ttlSeconds }).field(key);
}

/**
 * The group variant: the secret is fetched once for all of its fields, and again after `ttlSeconds` if given.
 * @example
 * const secret = new KeyVaultSecret({ vaultUrl: 'https://reports.vault.azure.net', secretName: 'login' });
 * const [username, password] = [secret.field('username'), secret.field('password')];
 */
export class KeyVaultSecret {
  readonly #secret: SharedSecret;

  /**
   * @param parameters the vault, and the name of the secret
   * @throws TypeError that names the parameter that cannot be used
   */
  constructor(parameters: KeyVaultParameters) {
    checkParameters('KeyVaultSecret', parameters, { ...RULES, ...SDK_ACCESS });
    this.#secret = new SharedSecret(sourceOf(parameters), parameters);
  }

  /**
   * The provider of one key of the secret, or of its whole text.
   * @param key of the JSON object that the secret is
   * @returns a provider that throws CredentialError
   * @throws TypeError when the key cannot be used
   */
  field(key?: string): CredentialProvider {
    return this.#secret.field(key);
  }
}

function sourceOf({ vaultUrl, secretName, clientOptions }: KeyVaultParameters): SecretSource {
  const origin = { store: keyVaultStore.name, secret: secretName };
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
      const chain = new DefaultAzureCredential({ retryOptions });
      // The challenge of the vault says what the token is for, so the client of the SDK has to request the token.
      const credential: typeof chain.getToken = (...asked) =>
        sdkLogin(origin, () => chain.getToken(...asked));
      const client = new SecretClient(vaultUrl, { getToken: credential }, { retryOptions, ...clientOptions });
      return async (abortSignal) => {
        const outcomes: HttpOutcome[] = [];
        try {
          return (await recordHttpOutcomes(outcomes, () => client.getSecret(secretName, { abortSignal })))
            .value;
        } catch (error) {
          if (error instanceof CredentialError) throw error;
          throw new CredentialError(origin, reasonOfAzureError(error, outcomes.at(-1)));
        }
      };
    },
  };
}

/** The error for an answer that the SDK cannot parse has no status, so the status of the last answer is used. */
function reasonOfAzureError(error: unknown, last?: HttpOutcome): CredentialReason {
  const { statusCode } = error as { statusCode?: number };
  const status = statusCode ?? (last?.status !== undefined && last.status >= 400 ? last.status : undefined);
  return status === undefined ? reasonWithoutStatus(error) : reasonOfStatus(status);
}
