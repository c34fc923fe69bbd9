import { type IncomingMessage } from 'node:http';
import {
  jsonAnswer,
  type LoopbackSecretStore,
  startSecretStore,
  type WireAnswer,
} from './loopback-secret-store.js';

const TOKEN = 'ya29.loopback-access-token';
const METADATA_TOKEN = '/computeMetadata/v1/instance/service-accounts/default/token';

const FAILURES = {
  'not-found': { code: 404, status: 'NOT_FOUND' },
  denied: { code: 403, status: 'PERMISSION_DENIED' },
  throttled: { code: 429, status: 'RESOURCE_EXHAUSTED' },
  failing: { code: 500, status: 'INTERNAL' },
} as const;

/** The environment in which application default credentials are those of the loopback metadata server. */
export function secretManagerEnvironment(store: { readonly port: number }): Record<string, string> {
  return { GCE_METADATA_HOST: `127.0.0.1:${store.port}`, METADATA_SERVER_DETECTION: 'assume-present' };
}

/** The same environment without a login, and no way to look for one elsewhere. */
export const SECRET_MANAGER_WITHOUT_LOGIN = {
  METADATA_SERVER_DETECTION: 'none',
  GOOGLE_APPLICATION_CREDENTIALS: undefined,
  HOME: '/nonexistent',
};

/**
 * Google Cloud Secret Manager over REST, and beside it a machine's metadata server that gives tokens.
 *
 * @param options.isToken - which tokens it takes; default: that of the metadata server
 */
export function startSecretManager({
  isToken = (token) => token === TOKEN,
}: { readonly isToken?: (token: string) => boolean } = {}): Promise<LoopbackSecretStore> {
  return startSecretStore({
    beforehand: (request) => metadataServer(request) ?? unauthenticated(request, isToken),
    secretName: (request) =>
      /^\/v1\/(projects\/[^/]+\/secrets\/[^/]+\/versions\/[^/:?]+):access(\?|$)/.exec(request.url ?? '')?.[1],
    found: (name, secret) =>
      jsonAnswer(200, { name, payload: { data: Buffer.from(secret).toString('base64') } }),
    failure: (kind, message) => jsonAnswer(FAILURES[kind].code, { error: { ...FAILURES[kind], message } }),
  });
}

function metadataServer(request: IncomingMessage): WireAnswer | undefined {
  if (request.url?.startsWith('/computeMetadata/') !== true) return undefined;
  const flavor = { 'metadata-flavor': 'Google' };
  if (request.headers['metadata-flavor'] !== 'Google') return jsonAnswer(403, {}, flavor);
  if (request.url.startsWith(METADATA_TOKEN)) {
    return jsonAnswer(200, { access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' }, flavor);
  }
  const texts: Record<string, string> = {
    '/computeMetadata/v1/project/project-id': 'example',
    '/computeMetadata/v1/universe/universe-domain': 'googleapis.com',
  };
  const text = texts[request.url.split('?')[0] ?? ''];
  return text === undefined
    ? { status: 404, headers: flavor, body: '' }
    : { status: 200, headers: { ...flavor, 'content-type': 'application/text' }, body: text };
}

function unauthenticated(
  { headers }: IncomingMessage,
  isToken: (token: string) => boolean,
): WireAnswer | undefined {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined && isToken(token)) return undefined;
  const error = { code: 401, status: 'UNAUTHENTICATED', message: 'Request had invalid credentials.' };
  return jsonAnswer(401, { error });
}
