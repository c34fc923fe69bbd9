import { readFile } from 'node:fs/promises';
import { type Credential } from '../../client/index.js';
import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';
import { reasonOfLogin } from './sdk-login.js';
import { once, type Once } from './once.js';
import { isRecord, oneOf, optional, rule, TEXT } from './rules.js';
import { type VaultServer } from './vault-server.js';

/** Where a pod finds the token of its service account. */
const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** How to log in to Vault. */
export type VaultLogin =
  | {
      readonly method: 'token';
      /** Called at each fetch. */
      readonly token: Credential;
    }
  | {
      readonly method: 'approle';
      readonly roleId: string;
      /** Fetched at each login; left out if the role is bound in another way, such as to an address. */
      readonly secretId?: Credential | undefined;
      /** Where the auth method is mounted; default `approle`. */
      readonly mount?: string | undefined;
    }
  | {
      readonly method: 'kubernetes';
      readonly role: string;
      /** The file of the service account's token; default: where a pod finds it. */
      readonly tokenFile?: string | undefined;
      /** Where the auth method is mounted; default `kubernetes`. */
      readonly mount?: string | undefined;
    };

const CREDENTIAL = rule(
  'must be a string that is not empty, or a provider',
  (value) => (typeof value === 'string' && value !== '') || typeof value === 'function',
);

export const APPROLE = { roleId: TEXT, mount: optional(TEXT) };
export const KUBERNETES = { role: TEXT, tokenFile: optional(TEXT), mount: optional(TEXT) };

export const LOGIN = oneOf('method', {
  token: { token: CREDENTIAL },
  approle: { ...APPROLE, secretId: optional(CREDENTIAL) },
  kubernetes: KUBERNETES,
});

/** A token and how many seconds it may be used. */
export interface VaultToken {
  readonly value: string;
  readonly seconds: number;
}

/**
 * Provides tokens. A token from a login is shared and kept for nine tenths of its lease, or until it is dropped.
 *
 * @param limited - runs a login within a time limit
 */
export function vaultTokens(
  origin: SecretOrigin,
  login: VaultLogin,
  server: VaultServer,
  { limited, now }: LoginContext,
): Once<VaultToken> {
  if (login.method === 'token') {
    const read = async (): Promise<VaultToken> => ({ value: await valueOf(login.token), seconds: 0 });
    return once(read, { ttlSeconds: 0 });
  }
  return once(() => limited((signal) => logIn(origin, login, server, signal)), {
    ttlSeconds: ({ seconds }) => (seconds === 0 ? Infinity : seconds * 0.9),
    now,
  });
}

export interface LoginContext {
  readonly limited: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  readonly now?: (() => number) | undefined;
}

async function logIn(
  origin: SecretOrigin,
  login: Exclude<VaultLogin, { method: 'token' }>,
  server: VaultServer,
  signal: AbortSignal,
): Promise<VaultToken> {
  const { mount = login.method } = login;
  const body = await bodyOf(origin, login);
  const answer = await server({ path: `auth/${pathOf(mount)}/login`, body, signal });
  const auth = answer.status === 200 && isRecord(answer.body.auth) ? answer.body.auth : {};
  if (typeof auth.client_token !== 'string') {
    const reason = reasonOfLogin({ host: '', status: answer.status });
    const detail = `the ${login.method} login was answered with HTTP ${answer.status} and no token`;
    throw new CredentialError(origin, reason, detail);
  }
  const seconds = typeof auth.lease_duration === 'number' ? auth.lease_duration : 0;
  return { value: auth.client_token, seconds };
}

async function bodyOf(
  origin: SecretOrigin,
  login: Exclude<VaultLogin, { method: 'token' }>,
): Promise<Record<string, unknown>> {
  if (login.method === 'approle') {
    const { roleId, secretId } = login;
    return { role_id: roleId, ...(secretId !== undefined && { secret_id: await valueOf(secretId) }) };
  }
  const { role, tokenFile = SERVICE_ACCOUNT_TOKEN } = login;
  const jwt = await readFile(tokenFile, 'utf8').catch(() => {
    const detail = `the service account's token cannot be read from ${tokenFile}`;
    throw new CredentialError(origin, 'NOT_CONFIGURED', detail);
  });
  return { role, jwt: jwt.trim() };
}

async function valueOf(credential: Credential): Promise<string> {
  return typeof credential === 'string' ? credential : credential();
}

/** A path as it appears in a URL. */
export function pathOf(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(encodeURIComponent)
    .join('/');
}
