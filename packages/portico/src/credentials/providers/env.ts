import { type CredentialProvider } from '../../client/index.js';
import { CredentialError } from '../../errors/credential-error.js';
import { SharedSecret } from './shared-secret.js';
import { checkParameters, ENVIRONMENT, optional, TEXT } from './rules.js';
import { defineStore, type EnvironmentVariables } from './store-definition.js';

/**
 * An environment variable.
 * @example
 * const parameters: EnvParameters = { name: 'API_KEY' };
 * const apiKey = env(parameters);
 */
export interface EnvParameters {
  readonly name: string;
  /** One key of a variable that holds a JSON object. */
  readonly key?: string | undefined;
  /** Where the variable is looked up at each call; default: the environment of this process. */
  readonly environment?: EnvironmentVariables | undefined;
}

const RULES = { name: TEXT, key: optional(TEXT) };

export const envStore = defineStore('env', {
  rules: RULES,
  secret: ({ name }: { name: string; key?: string }, environment) => ({
    field: (key) => env({ name, key, environment }),
  }),
});

/**
 * A credential from an environment variable, such as one that a container platform sets.
 *
 * @param parameters which variable
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const apiKey = env({ name: 'API_KEY', environment: { API_KEY: 'demo-api-key' } });
 * console.log(await apiKey()); // demo-api-key
 */
export function env(parameters: EnvParameters): CredentialProvider {
  checkParameters('env', parameters, { ...RULES, environment: ENVIRONMENT });
  // The service passes what it has read, including `.env`. Other users get the environment of the process.
  const { name, key, environment = process.env } = parameters;
  const origin = { store: envStore.name, secret: name };
  const read = (): Promise<string> => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined
      ? Promise.reject(new CredentialError(origin, 'NOT_FOUND', 'the variable is not set'))
      : Promise.resolve(value);
  };
  const source = { origin, open: () => Promise.resolve(read), reasonOf: () => 'MALFORMED' as const };
  return new SharedSecret(source, { ttlSeconds: 0 }).field(key);
}
