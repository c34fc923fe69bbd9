import { CredentialError } from '../../errors/credential-error.js';
import { processEnvironment } from '../../config/environment.js';
import { checkParameters, optional, type Rules, TEXT } from './check-parameters.js';
import { type CredentialProvider } from '../../client/index.js';
import { SharedSecret } from './shared-secret.js';

/** A variable of the process's environment. */
export interface EnvParameters {
  readonly name: string;
  /** One key of a variable that holds a JSON object. */
  readonly key?: string | undefined;
  /** Where the variable is looked up at each call; default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const RULES: Rules = {
  name: TEXT,
  key: optional(TEXT),
  environment: optional(['must be an object', (value) => value instanceof Object]),
};

/**
 * A credential from an environment variable, for what a container platform puts there.
 *
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 */
export function env(parameters: EnvParameters): CredentialProvider {
  checkParameters('env', parameters, RULES);
  // The service hands down what it has read, `.env` among it; whoever uses this library alone has the process.
  const { name, key, environment = processEnvironment() } = parameters;
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
