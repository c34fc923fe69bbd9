import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import {
  jsonAnswer,
  type LoopbackSecretStore,
  startSecretStore,
  type WireAnswer,
} from './loopback-secret-store.js';
import { IDENTITY_HEADER } from './key-vault-logins.js';

const TOKEN = 'key-vault-access-token';

const FAILURES = {
  'not-found': { status: 404, code: 'SecretNotFound' },
  denied: { status: 403, code: 'Forbidden' },
  throttled: { status: 429, code: 'Throttled' },
  failing: { status: 500, code: 'InternalError' },
} as const;

/** Azure Key Vault (`GET /secrets/{name}`), and beside it an app service's managed identity that gives tokens. */
export function startKeyVault(): Promise<LoopbackSecretStore> {
  // The SDK keeps tokens by resource for the whole process: each store has its own, so that each must log in.
  const resource = `https://${randomUUID()}.vault.azure.net`;
  return startSecretStore({
    beforehand: (request) => managedIdentity(request) ?? challenge(request, resource),
    secretName: (request) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://vault');
      const name = /^\/secrets\/([^/]+)\/?$/.exec(pathname)?.[1];
      return searchParams.has('api-version') ? name : undefined;
    },
    found: (name, secret) =>
      jsonAnswer(200, {
        value: secret.toString(),
        id: `https://example.vault.azure.net/secrets/${name}/4387e9f3d6e14c459867679a90fd0f79`,
        attributes: { enabled: true, created: 1_700_000_000, updated: 1_700_000_000 },
      }),
    failure: (kind, message) => {
      const { status, code } = FAILURES[kind];
      const retryAfter: Record<string, string> = kind === 'throttled' ? { 'retry-after': '1' } : {};
      return jsonAnswer(status, { error: { code, message } }, retryAfter);
    },
  });
}

function managedIdentity(request: IncomingMessage): WireAnswer | undefined {
  if (request.url?.startsWith('/msi/token?') !== true) return undefined;
  if (request.headers['x-identity-header'] !== IDENTITY_HEADER) return jsonAnswer(401, {});
  return jsonAnswer(200, {
    access_token: TOKEN,
    expires_on: String(Math.floor(Date.now() / 1000) + 3600),
    resource: 'https://vault.azure.net',
    token_type: 'Bearer',
    client_id: '00000000-0000-4000-8000-000000000000',
  });
}

function challenge(request: IncomingMessage, resource: string): WireAnswer | undefined {
  if (request.headers.authorization === `Bearer ${TOKEN}`) return undefined;
  const tenant = 'https://login.microsoftonline.com/00000000-0000-4000-8000-000000000000';
  return jsonAnswer(
    401,
    { error: { code: 'Unauthorized', message: 'AKV10000: Request is missing a Bearer or PoP token.' } },
    { 'www-authenticate': `Bearer authorization="${tenant}", resource="${resource}"` },
  );
}
