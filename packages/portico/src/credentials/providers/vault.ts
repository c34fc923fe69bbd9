import { type CredentialProvider } from '../../client/index.js';
import { CredentialError, type CredentialReason, type SecretOrigin } from '../../errors/credential-error.js';
import { reasonOfStatus } from './failure-reasons.js';
import { file } from './file.js';
import {
  FETCH_LIMIT_MS,
  type FetchSecret,
  type SecretAccess,
  type SecretSource,
  SharedSecret,
  withinLimit,
} from './shared-secret.js';
import {
  ACCESS,
  checkParameters,
  ENVIRONMENT,
  isRecord,
  oneOf,
  optional,
  rule,
  TEXT,
  wholeNumber,
} from './rules.js';
import { defineStore, type EnvironmentVariables } from './store-definition.js';
import {
  APPROLE,
  KUBERNETES,
  LOGIN,
  openVaultServer,
  pathOf,
  type VaultAddress,
  type VaultAnswer,
  type VaultLogin,
  vaultTokens,
} from './vault-server.js';

interface VaultSecretName {
  /** The secret's path in its engine, such as `prod/portico`. */
  readonly path: string;
  /** Where the key/value engine is mounted; default `secret`. */
  readonly mount?: string | undefined;
  /** The version of the key/value engine; default 2. */
  readonly kvVersion?: 1 | 2 | undefined;
  /** The version of the secret, for an engine of version 2; default: the current one. */
  readonly version?: number | undefined;
  /** Default: the variable `VAULT_ADDR`. */
  readonly address?: string | undefined;
  /** Default: the variable `VAULT_NAMESPACE`, else none. */
  readonly namespace?: string | undefined;
  /** A PEM file of the certificate authorities to trust; default: the variable `VAULT_CACERT`, else Node's own. */
  readonly caFile?: string | undefined;
}

/**
 * A secret of HashiCorp Vault or OpenBao.
 * @example
 * const parameters: VaultParameters = { path: 'secret/data/reports' };
 * const password = vault({ ...parameters, key: 'password' });
 */
export interface VaultParameters extends VaultSecretName, SecretAccess {
  /** Default: the token in the variable `VAULT_TOKEN`. */
  readonly login?: VaultLogin | undefined;
  /** Where the variables are looked up at each fetch; default: the environment of this process. */
  readonly environment?: EnvironmentVariables | undefined;
}

/** A login as a profile writes it: with the files of its secrets, never with the secrets themselves. */
type WrittenLogin =
  | { method: 'token'; tokenFile: string }
  | { method: 'approle'; roleId: string; secretIdFile?: string; mount?: string }
  | { method: 'kubernetes'; role: string; tokenFile?: string; mount?: string };

const WRITTEN_LOGIN = oneOf('method', {
  token: { tokenFile: TEXT },
  approle: { ...APPROLE, secretIdFile: optional(TEXT) },
  kubernetes: KUBERNETES,
});

function readWrittenLogin(login: WrittenLogin): VaultLogin {
  if (login.method === 'kubernetes') return login;
  if (login.method === 'token') return { method: 'token', token: file({ path: login.tokenFile }) };
  const { secretIdFile, ...others } = login;
  return { ...others, ...(secretIdFile !== undefined && { secretId: file({ path: secretIdFile }) }) };
}

const PATH = rule(
  'must be a path without empty parts, "." and ".."',
  (value) => typeof value === 'string' && value.split('/').every((part) => !['', '.', '..'].includes(part)),
);

const RULES = {
  path: PATH,
  mount: optional(PATH),
  kvVersion: optional(rule('must be 1 or 2', (value) => value === 1 || value === 2)),
  version: optional(wholeNumber()),
  address: optional(
    rule('must be an address that starts with https:// or http:// and contains no login', isAddress),
  ),
  namespace: optional(TEXT),
  caFile: optional(TEXT),
};

const PARAMETER_RULES = {
  ...RULES,
  ...ACCESS,
  login: optional(LOGIN),
  environment: ENVIRONMENT,
};

function isAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return ['https:', 'http:'].includes(protocol) && username + password + search + hash === '';
}

export const vaultStore = defineStore('vault', {
  rules: { ...RULES, login: optional(WRITTEN_LOGIN), key: optional(TEXT) },
  secret: ({ login, ...parameters }: VaultSecretName & { login?: WrittenLogin; key?: string }, environment) =>
    new VaultSecret({
      ...parameters,
      ...(login !== undefined && { login: readWrittenLogin(login) }),
      environment,
      ttlSeconds: 0,
    }),
});

/**
 * A credential from HashiCorp Vault or OpenBao, by its HTTP API, fetched at each call unless `ttlSeconds` says how
 * long it is kept. With `key`, one key of the secret, else all of them as a JSON object.
 *
 * @param parameters which secret, and which key of it
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const password = vault({ path: 'secret/data/reports', key: 'password' });
 */
export function vault(
  parameters: VaultParameters & { readonly key?: string | undefined },
): CredentialProvider {
  checkParameters('vault', parameters, { ...PARAMETER_RULES, key: optional(TEXT) });
  const { key, ttlSeconds = 0, ...others } = parameters;
  return new VaultSecret({ ...others, ttlSeconds }).field(key);
}

/**
 * The group variant: the secret is fetched once for all of its fields, and again after `ttlSeconds` if given.
 * @example
 * const secret = new VaultSecret({ path: 'secret/data/reports' });
 * const [username, password] = [secret.field('username'), secret.field('password')];
 */
export class VaultSecret {
  readonly #secret: SharedSecret;

  /**
   * @param parameters which secret, and where Vault is
   * @throws TypeError that names the parameter that cannot be used
   */
  constructor(parameters: VaultParameters) {
    checkParameters('VaultSecret', parameters, PARAMETER_RULES);
    this.#secret = new SharedSecret(sourceOf(parameters), parameters);
  }

  /**
   * The provider of one key of the secret, or of all of them as a JSON object.
   * @param key of the secret
   * @returns a provider that throws CredentialError
   * @throws TypeError when the key cannot be used
   */
  field(key?: string): CredentialProvider {
    return this.#secret.field(key);
  }
}

function sourceOf(parameters: VaultParameters): SecretSource {
  const { mount = 'secret', path } = parameters;
  const origin = { store: vaultStore.name, secret: `${mount}/${path}` };
  return { origin, reasonOf: reasonOfVaultError, open: () => openSecret(origin, parameters) };
}

/** The HTTP client's own error: an answer that is too large, or none. */
function reasonOfVaultError(error: unknown): CredentialReason {
  const { code } = error as { code?: unknown };
  return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'MALFORMED' : 'UNREACHABLE';
}

async function openSecret(origin: SecretOrigin, parameters: VaultParameters): Promise<FetchSecret> {
  const { timeoutMs = FETCH_LIMIT_MS, now } = parameters;
  const server = await openVaultServer(origin, addressOf(origin, parameters));
  const tokens = vaultTokens(origin, loginOf(origin, parameters), server, {
    limited: (work) => withinLimit(origin, timeoutMs, work),
    now,
  });
  let used: unknown;
  const read = async (signal: AbortSignal): Promise<VaultAnswer> => {
    const token = await tokens();
    const usedBefore = token === used;
    used = token;
    const answer = await server({ path: requestPath(parameters), token: token.value, signal });
    // A token that has worked before may have been revoked since. One new login shows whether it was.
    if (answer.status !== 403 || !usedBefore) return answer;
    tokens.forget();
    return read(signal);
  };
  return async (signal) => secretOf(origin, parameters, await read(signal));
}

function addressOf(origin: SecretOrigin, parameters: VaultParameters): VaultAddress {
  const variable = variablesOf(parameters);
  const {
    address = variable('ADDR'),
    namespace = variable('NAMESPACE'),
    caFile = variable('CACERT'),
  } = parameters;
  if (address === undefined) {
    throw new CredentialError(origin, 'NOT_CONFIGURED', 'no address: set VAULT_ADDR or give `address`');
  }
  if (!isAddress(address)) {
    throw new CredentialError(origin, 'NOT_CONFIGURED', 'VAULT_ADDR is not an http:// or https:// address');
  }
  return { address, namespace, caFile };
}

function loginOf(origin: SecretOrigin, parameters: VaultParameters): VaultLogin {
  const token = (): string => {
    const value = variablesOf(parameters)('TOKEN');
    if (value !== undefined) return value;
    throw new CredentialError(origin, 'NOT_CONFIGURED', 'no token: set VAULT_TOKEN or give `login`');
  };
  return parameters.login ?? { method: 'token', token };
}

/** Reads a variable as OpenBao's own tools do: `BAO_…` before `VAULT_…`, and an empty one counts as not set. */
function variablesOf({ environment = process.env }: VaultParameters) {
  return (name: string): string | undefined =>
    [environment[`BAO_${name}`], environment[`VAULT_${name}`]].find(Boolean);
}

function requestPath({ mount = 'secret', path, kvVersion = 2, version }: VaultParameters): string {
  if (kvVersion === 1) return `${pathOf(mount)}/${pathOf(path)}`;
  const query = version === undefined ? '' : `?version=${version}`;
  return `${pathOf(mount)}/data/${pathOf(path)}${query}`;
}

function secretOf(
  origin: SecretOrigin,
  { kvVersion = 2 }: VaultParameters,
  { status, body }: VaultAnswer,
): string {
  if (status === 404) {
    const detail = `no such secret in a key/value engine of version ${kvVersion}`;
    throw new CredentialError(origin, 'NOT_FOUND', detail);
  }
  if (status !== 200) {
    throw new CredentialError(origin, reasonOfStatus(status), `the server answered with HTTP ${status}`);
  }
  const data = kvVersion === 1 ? body.data : isRecord(body.data) && body.data.data;
  if (!isRecord(data)) throw new CredentialError(origin, 'MALFORMED');
  return JSON.stringify(data);
}
