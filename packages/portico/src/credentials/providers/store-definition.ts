import { type CredentialProvider } from '../../client/index.js';
import { type Rules } from './rules.js';

/** Environment variables: those of the process, or those that the service has read. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** A secret that a profile names, ready to give one of its keys. */
export interface NamedSecret {
  field(key?: string): CredentialProvider;
}

/** What a credential profile needs to know about a store. */
export interface StoreDefinition<Name extends string = string> {
  /** How a profile names the store, and how an error does. */
  readonly name: Name;
  /** For the parameters of a source, with `key` if the store's secrets have keys. */
  readonly rules: Rules;
  /** The secret of a source that follows the rules; `key` is given to `field`. */
  readonly secret: (parameters: never, environment: EnvironmentVariables) => NamedSecret;
}

/** Makes a definition. The compiler checks that there is a rule for each parameter. */
export function defineStore<Name extends string, Parameters extends object>(
  name: Name,
  definition: {
    readonly rules: Rules<Parameters>;
    readonly secret: (parameters: Parameters, environment: EnvironmentVariables) => NamedSecret;
  },
): StoreDefinition<Name> {
  return { name, ...definition };
}
