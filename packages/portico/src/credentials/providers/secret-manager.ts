import { type CredentialProvider } from '../../client/index.js';
import { loadSdk, sdkLogin } from './sdk.js';
import { type SdkAccess, type SecretSource, secretText, SharedSecret } from './shared-secret.js';
import { checkParameters, optional, rule, SDK_ACCESS, TEXT } from './rules.js';
import { defineStore } from './store-definition.js';
import { type CredentialReason } from '../../errors/credential-error.js';
import { reasonOfStatus, reasonWithoutStatus } from './failure-reasons.js';

/**
 * A secret of Google Cloud Secret Manager.
 * @example
 * const parameters: SecretManagerParameters = { project: 'reports', secretId: 'login' };
 * const login = secretManager(parameters);
 */
export interface SecretManagerParameters extends SdkAccess {
  /** Project id or number. */
  readonly project: string | number;
  readonly secretId: string;
  /** Default `latest`. */
  readonly version?: string | undefined;
}

const TEXT_OR_NUMBER = rule(
  'must be a string that is not empty, or a whole number above 0',
  (value) =>
    (typeof value === 'string' && value !== '') || (Number.isSafeInteger(value) && Number(value) > 0),
);

const RULES = { project: TEXT_OR_NUMBER, secretId: TEXT, version: optional(TEXT) };

interface WrittenParameters {
  readonly project: string | number;
  readonly secretId: string;
  /** In YAML, a version is a number. */
  readonly version?: string | number;
  readonly key?: string;
}

export const secretManagerStore = defineStore('secret_manager', {
  rules: { ...RULES, version: optional(TEXT_OR_NUMBER), key: optional(TEXT) },
  secret: ({ project, secretId, version = 'latest' }: WrittenParameters) =>
    new SecretManagerSecret({ project, secretId, version: String(version), ttlSeconds: 0 }),
});

/**
 * A credential from Google Cloud Secret Manager (spec, "Credential providers"), with application default credentials,
 * fetched at each call unless `ttlSeconds` says how long it is kept. With `key`, one key of a JSON secret.
 *
 * @param parameters which secret, and which key of it
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 * @example
 * const password = secretManager({ project: 'reports', secretId: 'login', key: 'password' });
 */
export function secretManager(
  parameters: SecretManagerParameters & { readonly key?: string | undefined },
): CredentialProvider {
  checkParameters('secretManager', parameters, { ...RULES, ...SDK_ACCESS, key: optional(TEXT) });
  const { key, ttlSeconds = 0, ...others } = parameters;
  return new SecretManagerSecret({ ...others, ttlSeconds }).field(key);
}

/**
 * The group variant: the secret is fetched once for all of its fields, and again after `ttlSeconds` if given.
 * @example
 * const secret = new SecretManagerSecret({ project: 'reports', secretId: 'login' });
 * const [username, password] = [secret.field('username'), secret.field('password')];
 */
export class SecretManagerSecret {
  readonly #secret: SharedSecret;

  /**
   * @param parameters which secret
   * @throws TypeError that names the parameter that cannot be used
   */
  constructor(parameters: SecretManagerParameters) {
    checkParameters('SecretManagerSecret', parameters, { ...RULES, ...SDK_ACCESS });
    this.#secret = new SharedSecret(sourceOf(parameters), parameters);
  }

  /**
   * The provider of one key of the secret, or of its whole text.
   * @param key of the JSON object that the secret is
   * @returns a provider that throws CredentialError
   * @throws TypeError when the key cannot be used
   */
  field(key?: string): CredentialProvider {
    return this.#secret.field(key);
  }
}

function sourceOf(parameters: SecretManagerParameters): SecretSource {
  const { project, secretId, version = 'latest', clientOptions } = parameters;
  const name = `projects/${project}/secrets/${secretId}/versions/${version}`;
  const origin = { store: secretManagerStore.name, secret: name };
  return {
    origin,
    reasonOf: reasonOfGoogleError,
    open: async () => {
      const { SecretManagerServiceClient } = await loadSdk(
        origin,
        '@google-cloud/secret-manager',
        () => import('@google-cloud/secret-manager'),
      );
      // REST, since one small answer needs no gRPC channel. The project is known, so the SDK need not look for it.
      const client = new SecretManagerServiceClient({
        fallback: true,
        projectId: String(project),
        ...clientOptions,
      });
      await sdkLogin(origin, () => client.initialize());
      // The client's own method of this name logs the answer when the SDK's debug log is on, and cannot be
      // cancelled. The call below it does the same without either.
      const access = client.innerApiCalls.accessSecretVersion as unknown as AccessSecretVersion;
      return async (signal) => {
        // The headers of the call. With a key file they are signed here, and no token is requested.
        await sdkLogin(origin, () => client.auth.getRequestHeaders());
        signal.throwIfAborted();
        const call = access({ name }, { retry: null });
        signal.addEventListener('abort', () => {
          call.cancel();
        });
        const data = (await call)[0].payload?.data;
        return data ? secretText(origin, data) : undefined;
      };
    },
  };
}

type AccessSecretVersion = (
  request: { readonly name: string },
  options: { readonly retry: null },
) => Promise<[{ readonly payload?: { readonly data?: Uint8Array | null } | null }]> & { cancel(): void };

/** The gRPC codes that are about the request. */
const REASONS: Readonly<Record<number, CredentialReason>> = {
  3: 'DENIED', // INVALID_ARGUMENT
  5: 'NOT_FOUND',
  7: 'DENIED', // PERMISSION_DENIED
  8: 'THROTTLED', // RESOURCE_EXHAUSTED
  9: 'DENIED', // FAILED_PRECONDITION: the version is disabled or destroyed
  16: 'DENIED', // UNAUTHENTICATED
};

/** What an error of Google's SDK means: it has an HTTP status, or, from version 7 on and over gRPC, gRPC's code. */
export function reasonOfGoogleError(error: unknown): CredentialReason {
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === 'number') return reasonOfStatus(status);
  return (typeof code === 'number' ? REASONS[code] : undefined) ?? reasonWithoutStatus(error);
}
