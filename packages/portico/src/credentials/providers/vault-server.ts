import { readFile } from 'node:fs/promises';
import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';
import { isRecord, oneOf, optional, rule, TEXT } from './rules.js';
import { type Credential } from '../../client/index.js';
import { reasonOfLogin } from './sdk.js';
import { once, type Once } from './once.js';

/** Bytes: Vault itself takes no secret over 1 MiB by default, and an answer adds little. */
const LARGEST_ANSWER = 2 * 1024 * 1024;

export interface VaultAddress {
  readonly address: string;
  readonly namespace?: string | undefined;
  readonly caFile?: string | undefined;
}

export interface VaultRequest {
  /** Below `/v1/`. */
  readonly path: string;
  readonly token?: string | undefined;
  /** Sent by POST; without it the request is a GET. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
}

export interface VaultAnswer {
  readonly status: number;
  /** Empty if the answer is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A Vault or OpenBao server's HTTP API. */
export type VaultServer = (request: VaultRequest) => Promise<VaultAnswer>;

/**
 * Prepares the connections to a server. Redirects are not followed: a token must not go to an address that is not
 * configured.
 *
 * @throws CredentialError `NOT_CONFIGURED` when the CA file cannot be read
 */
export async function openVaultServer(
  origin: SecretOrigin,
  { address, namespace, caFile }: VaultAddress,
): Promise<VaultServer> {
  const { Agent, request } = await import('undici');
  const ca = caFile === undefined ? undefined : await readCa(origin, caFile);
  const dispatcher = new Agent({ maxResponseSize: LARGEST_ANSWER, ...(ca && { connect: { ca } }) });
  return async ({ path, token, body, signal }) => {
    const response = await request(`${address.replace(/\/+$/, '')}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        // Agents and proxies in front of the server may require it, as a protection against forged requests.
        'x-vault-request': 'true',
        'x-vault-token': token,
        'x-vault-namespace': namespace,
        'content-type': body && 'application/json',
      },
      body: body && JSON.stringify(body),
      signal,
      dispatcher,
    });
    return { status: response.statusCode, body: jsonObject(await response.body.text()) };
  };
}

async function readCa(origin: SecretOrigin, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new CredentialError(origin, 'NOT_CONFIGURED', `the CA file ${path} cannot be read`);
  }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** Where a pod finds the token of its service account. */
const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * How to log in to Vault.
 * @example
 * const login: VaultLogin = { method: 'approle', roleId: 'reports' };
 */
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
