import { CredentialError } from './credential-error.js';
import { type CredentialProvider } from '../client/index.js';
import { SharedSecret } from './shared-secret.js';

/** A variable of the process's environment. */
export interface EnvParameters {
  readonly name: string;
  /** One key of a variable that holds a JSON object. */
  readonly key?: string | undefined;
  /** Where the variable is looked up at each call. The caller's, since the environment is read in one place only. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A credential from an environment variable, for what a container platform puts there.
 *
 * @returns a provider that throws CredentialError
 */
export function env({ name, key, environment }: EnvParameters): CredentialProvider {
  const origin = { store: 'env', secret: name } as const;
  const read = (): Promise<string> => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return value === undefined
      ? Promise.reject(new CredentialError(origin, 'NOT_FOUND', 'the variable is not set'))
      : Promise.resolve(value);
  };
  const source = { origin, open: () => Promise.resolve(read), reasonOf: () => 'MALFORMED' as const };
  return new SharedSecret(source, { ttlSeconds: 0 }).field(key);
}
