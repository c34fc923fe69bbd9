import { type CredentialProvider } from '../client/index.js';
import { envStore } from './providers/env.js';
import { fileStore } from './providers/file.js';
import { keyVaultStore } from './providers/key-vault.js';
import { parameterStoreStore } from './providers/parameter-store.js';
import { oneOf, type Values } from './providers/rules.js';
import { secretManagerStore } from './providers/secret-manager.js';
import { secretsManagerStore } from './providers/secrets-manager.js';
import {
  type EnvironmentVariables,
  type NamedSecret,
  type StoreDefinition,
} from './providers/store-definition.js';
import { vaultStore } from './providers/vault.js';

/**
 * Every store that a profile can name. The function of a store is exported by the door of the package, `index.ts`.
 */
export const STORES = [
  secretsManagerStore,
  parameterStoreStore,
  keyVaultStore,
  secretManagerStore,
  vaultStore,
  fileStore,
  envStore,
] as const;

/**
 * The name of a store, as a profile writes it.
 * @example
 * const store: CredentialStore = 'env';
 */
export type CredentialStore = (typeof STORES)[number]['name'];

const BY_NAME: ReadonlyMap<string, StoreDefinition> = new Map(STORES.map((store) => [store.name, store]));

/** Where a profile gets one credential: a store, and the parameters of its provider. */
export interface CredentialSource extends Values {
  readonly store: string;
  readonly key?: string;
}

/** What a profile may write as a source. */
export const SOURCE = oneOf('store', Object.fromEntries(STORES.map(({ name, rules }) => [name, rules])));

/** Runs a fetch from a secret store, and returns what it returns or throws what it throws. */
export type RunFetch = (store: string, fetch: () => Promise<string>) => Promise<string>;

/**
 * Makes the providers of one profile. Sources that name the same secret share their fetches, so that a user name
 * and a password from one secret belong together even while it is rotated.
 *
 * @param runFetch runs each fetch, for traces; default: as it is
 * @returns makes the provider of a source that follows the rules
 */
export function sourceProviders(
  environment: EnvironmentVariables,
  runFetch: RunFetch = (_store, fetch) => fetch(),
): (source: CredentialSource) => CredentialProvider {
  const secrets = new Map<string, NamedSecret>();
  return ({ key, ...named }) => {
    const identity = JSON.stringify(named);
    const { store, ...parameters } = named;
    const secret = secrets.get(identity) ?? BY_NAME.get(store)?.secret(parameters as never, environment);
    if (secret === undefined) throw new TypeError(`There is no store ${JSON.stringify(store)}`);
    secrets.set(identity, secret);
    const provider = secret.field(key);
    return () => runFetch(store, async () => provider());
  };
}
