import { type CredentialProvider } from '../../client/index.js';
import { reasonOfAwsError } from './failure-reasons.js';
import { loadSdk, sdkLogin } from './sdk.js';
import { binarySecret, type SdkAccess, type SecretSource, SharedSecret } from './shared-secret.js';
import { checkParameters, optional, SDK_ACCESS, TEXT } from './rules.js';
import { defineStore } from './store-definition.js';

/**
 * A secret of AWS Secrets Manager.
 * @example
 * const parameters: SecretsManagerParameters = { secretId: 'prod/reports' };
 * const password = secretsManager({ ...parameters, key: 'password' });
 */
export interface SecretsManagerParameters extends SdkAccess {
  /** Name or ARN. */
  readonly secretId: string;
  /** Default: the region that the SDK finds. */
  readonly regionName?: string | undefined;
}

const RULES = { secretId: TEXT, regionName: optional(TEXT) };

export const secretsManagerStore = defineStore('secrets_manager', {
  rules: { ...RULES, key: optional(TEXT) },
  secret: (parameters: { secretId: string; regionName?: string; key?: string }) =>
    new SecretsManagerSecret({ ...parameters, ttlSeconds: 0 }),
});

/**
 * A credential from AWS Secrets Manager (spec, "Credential providers"), fetched at each call unless `ttlSeconds` says
 * how long it is kept. With `key`, one key of a JSON secret.
 *
 * @param parameters which secret, and which key of it
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const password = secretsManager({ secretId: 'prod/reports', key: 'password', regionName: 'eu-west-1' });
 */
export function secretsManager(
  parameters: SecretsManagerParameters & { readonly key?: string | undefined },
): CredentialProvider {
  checkParameters('secretsManager', parameters, { ...RULES, ...SDK_ACCESS, key: optional(TEXT) });
  const { key, ttlSeconds = 0, ...others } = parameters;
  return new SecretsManagerSecret({ ...others, ttlSeconds }).field(key);
}

/**
 * The group variant: the secret is fetched once for all of its fields, and again after `ttlSeconds` if given.
 * @example
 * const secret = new SecretsManagerSecret({ secretId: 'prod/reports' });
 * const [username, password] = [secret.field('username'), secret.field('password')];
 */
export class SecretsManagerSecret {
  readonly #secret: SharedSecret;

  /**
   * @param parameters which secret
   * @throws TypeError that names the parameter that cannot be used
   */
  constructor(parameters: SecretsManagerParameters) {
    checkParameters('SecretsManagerSecret', parameters, { ...RULES, ...SDK_ACCESS });
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

function sourceOf({ secretId, regionName, clientOptions }: SecretsManagerParameters): SecretSource {
  const origin = { store: secretsManagerStore.name, secret: secretId };
  return {
    origin,
    reasonOf: reasonOfAwsError,
    open: async () => {
      const { SecretsManagerClient, GetSecretValueCommand } = await loadSdk(
        origin,
        '@aws-sdk/client-secrets-manager',
        () => import('@aws-sdk/client-secrets-manager'),
      );
      const client = new SecretsManagerClient({ region: regionName, maxAttempts: 1, ...clientOptions });
      return async (abortSignal) => {
        await sdkLogin(origin, () => client.config.credentials());
        const command = new GetSecretValueCommand({ SecretId: secretId });
        const { SecretString, SecretBinary } = await client.send(command, { abortSignal });
        if (SecretString === undefined && SecretBinary !== undefined) throw binarySecret(origin);
        return SecretString;
      };
    },
  };
}
