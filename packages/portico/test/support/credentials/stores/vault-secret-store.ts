import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import {
  type FailureKind,
  jsonAnswer,
  type LoopbackSecretStore,
  startSecretStore,
  type WireAnswer,
} from './loopback-secret-store.js';

export const VAULT_TOKEN = 'hvs.loopback-root-token';
export const VAULT_ROLE = { roleId: '59d6d1ca-47bb-4e7e-a40b-8be3bc5a0ba8', secretId: '84896a0c-1347-aa90' };
export const VAULT_JWT = 'eyJhbGciOiJSUzI1NiJ9.e30.signature';

const FAILURES: Readonly<Record<FailureKind, number>> = {
  'not-found': 404,
  denied: 403,
  throttled: 429,
  failing: 500,
};

/** The variables by which every tool finds the server and its token. */
export function vaultEnvironment(store: { readonly url: string }): Record<string, string> {
  return { VAULT_ADDR: store.url, VAULT_TOKEN };
}

export const VAULT_WITHOUT_LOGIN = { VAULT_TOKEN: undefined };

export interface LoopbackVault extends LoopbackSecretStore {
  /** How many logins have come. */
  readonly logins: number;
  /** The headers of the last of them, whether it was refused or not. */
  readonly lastLogin: IncomingHttpHeaders | undefined;
  /** For how long the next logins give tokens, in seconds; 0 or nothing: for ever. */
  lend(seconds?: number): void;
  /** Makes the tokens of all logins so far invalid. */
  revoke(): void;
}

/**
 * The HTTP API of Vault as far as key/value secrets need it: an engine of version 2 at `secret/` and one of version 1
 * at `kv/`, a root token, and logins by AppRole and Kubernetes that give tokens for an hour. A version of a secret is
 * put under its path with `@` and the number.
 */
export async function startVault(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<LoopbackVault> {
  const state = {
    logins: 0,
    oldest: 1,
    lease: 3600 as number | undefined,
    lastLogin: undefined as IncomingHttpHeaders | undefined,
  };

  const login = (request: IncomingMessage, body: string): WireAnswer | undefined => {
    const method = /^\/v1\/auth\/([^/]+)\/login$/.exec(request.url ?? '')?.[1];
    if (method === undefined || request.method !== 'POST') return undefined;
    state.lastLogin = request.headers;
    const sent = JSON.parse(body) as Record<string, unknown>;
    const { roleId, secretId } = VAULT_ROLE;
    const isKnown =
      method === 'approle' || method === 'team-approle'
        ? sent.role_id === roleId && sent.secret_id === secretId
        : method === 'bound-approle'
          ? sent.role_id === roleId && !('secret_id' in sent)
          : sent.role === 'portico' && sent.jwt === VAULT_JWT;
    if (!isKnown) return jsonAnswer(400, { errors: ['invalid role or secret ID'] });
    state.logins += 1;
    const auth = { client_token: `hvs.login-${state.logins}`, lease_duration: state.lease, renewable: true };
    return jsonAnswer(200, { request_id: 'r', lease_id: '', data: null, auth });
  };

  const refused = ({ headers }: IncomingMessage): WireAnswer | undefined => {
    const token = String(headers['x-vault-token']);
    const number = Number(/^hvs\.login-(\d+)$/.exec(token)?.[1] ?? 0);
    const isGood = token === VAULT_TOKEN || (number >= state.oldest && number <= state.logins);
    return isGood && headers['x-vault-request'] === 'true'
      ? undefined
      : jsonAnswer(403, { errors: ['permission denied'] });
  };

  const store = await startSecretStore(
    {
      beforehand: (request, body) => login(request, body) ?? refused(request),
      secretName: ({ url = '', method }) => {
        if (method !== 'GET') return undefined;
        const { pathname, searchParams } = new URL(url, 'http://vault');
        const path = decodeURIComponent(pathname).replace(/^\/v1\/(secret\/)data\/|^\/v1\/(kv\/)/, '$1$2');
        const version = searchParams.get('version');
        return version === null ? path : `${path}@${version}`;
      },
      found: (name, secret) => jsonAnswer(200, envelope(name, dataOf(secret.toString()))),
      failure: (kind, gossip) => jsonAnswer(FAILURES[kind], { errors: kind === 'not-found' ? [] : [gossip] }),
    },
    tls,
  );
  // Getters of the store stay what they are.
  return Object.defineProperties(store as LoopbackVault, {
    logins: { get: () => state.logins },
    lastLogin: { get: () => state.lastLogin },
    lend: { value: (seconds?: number) => void (state.lease = seconds) },
    revoke: { value: () => void (state.oldest = state.logins + 1) },
  });
}

/** Vault keeps keys and values: what is not a JSON object is kept under the key `value`. */
function dataOf(secret: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(secret);
    if (parsed instanceof Object && !Array.isArray(parsed)) return parsed as Record<string, unknown>;
  } catch {
    // A text.
  }
  return { value: secret };
}

function envelope(name: string, data: Record<string, unknown>): Record<string, unknown> {
  const metadata = { created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false, version: 1 };
  const common = { request_id: 'r', lease_id: '', renewable: false, lease_duration: 0, auth: null };
  return { ...common, data: name.startsWith('kv/') ? data : { data, metadata } };
}
