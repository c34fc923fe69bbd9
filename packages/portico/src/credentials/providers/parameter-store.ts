import { type CredentialProvider } from '../../client/index.js';
import { reasonOfAwsError } from './failure-reasons.js';
import { loadSdk, sdkLogin } from './sdk.js';
import { type SdkAccess, type SecretSource, SharedSecret } from './shared-secret.js';
import { checkParameters, checkValue, optional, SDK_ACCESS, TEXT } from './rules.js';
import { defineStore } from './store-definition.js';

/**
 * Where the parameters of AWS Systems Manager Parameter Store are.
 * @example
 * const parameters: ParameterStoreParameters = { regionName: 'eu-west-1' };
 * const password = parameterStore({ ...parameters, name: '/reports/password' });
 */
export interface ParameterStoreParameters extends SdkAccess {
  /** Default: the region that the SDK finds. */
  readonly regionName?: string | undefined;
}

const RULES = { regionName: optional(TEXT) };

export const parameterStoreStore = defineStore('parameter_store', {
  rules: { name: TEXT, ...RULES },
  secret: (parameters: { name: string; regionName?: string }) => {
    const provider = parameterStore(parameters);
    return { field: () => provider };
  },
});

/**
 * A credential from AWS Parameter Store (spec, "Credential providers"), always decrypted, fetched at each call unless
 * `ttlSeconds` says how long it is kept.
 *
 * @param parameters.name - name or ARN
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const password = parameterStore({ name: '/reports/password', regionName: 'eu-west-1' });
 */
export function parameterStore(
  parameters: ParameterStoreParameters & { readonly name: string },
): CredentialProvider {
  checkParameters('parameterStore', parameters, { name: TEXT, ...RULES, ...SDK_ACCESS });
  const { name, ttlSeconds = 0, ...others } = parameters;
  return new ParameterStoreValues({ ...others, ttlSeconds }).parameter(name);
}

/**
 * The group variant: each parameter is fetched at its first use, and again after `ttlSeconds` if given.
 * @example
 * const values = new ParameterStoreValues({ regionName: 'eu-west-1' });
 * const [username, password] = [values.parameter('/reports/username'), values.parameter('/reports/password')];
 */
export class ParameterStoreValues {
  readonly #parameters: ParameterStoreParameters;
  readonly #values = new Map<string, SharedSecret>();

  /**
   * @param parameters where the parameters are, and how they are kept
   * @throws TypeError that names the parameter that cannot be used
   */
  constructor(parameters: ParameterStoreParameters = {}) {
    checkParameters('ParameterStoreValues', parameters, { ...RULES, ...SDK_ACCESS });
    this.#parameters = parameters;
  }

  /**
   * The provider of one parameter, by name or ARN.
   *
   * @param name name or ARN
   * @throws TypeError when the name cannot be used
   */
  parameter(name: string): CredentialProvider {
    checkValue('ParameterStoreValues', 'name', name, TEXT);
    const value =
      this.#values.get(name) ?? new SharedSecret(sourceOf(name, this.#parameters), this.#parameters);
    this.#values.set(name, value);
    return value.field();
  }
}

function sourceOf(name: string, { regionName, clientOptions }: ParameterStoreParameters): SecretSource {
  const origin = { store: parameterStoreStore.name, secret: name };
  return {
    origin,
    reasonOf: reasonOfAwsError,
    open: async () => {
      const { SSMClient, GetParameterCommand } = await loadSdk(
        origin,
        '@aws-sdk/client-ssm',
        () => import('@aws-sdk/client-ssm'),
      );
      const client = new SSMClient({ region: regionName, maxAttempts: 1, ...clientOptions });
      return async (abortSignal) => {
        await sdkLogin(origin, () => client.config.credentials());
        const command = new GetParameterCommand({ Name: name, WithDecryption: true });
        const { Parameter } = await client.send(command, { abortSignal });
        return Parameter?.Value;
      };
    },
  };
}
