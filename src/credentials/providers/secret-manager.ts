import { checkParameters, optional, type Rules, SDK_ACCESS, TEXT } from './check-parameters.js';
import { CredentialError } from '../../errors/credential-error.js';
import { type CredentialProvider } from '../../client/index.js';
import { reasonOfGoogleError } from './google-failure.js';
import { loadSdk } from './load-sdk.js';
import { secretText } from './secret-text.js';
import { type SdkAccess, type SecretSource, SharedSecret } from './shared-secret.js';

/** A secret of Google Cloud Secret Manager. */
export interface SecretManagerParameters extends SdkAccess {
  /** Project id or number. */
  readonly project: string;
  readonly secretId: string;
  /** Default `latest`. */
  readonly version?: string | undefined;
}

const RULES: Rules = { project: TEXT, secretId: TEXT, version: optional(TEXT), ...SDK_ACCESS };

/**
 * A credential from Google Cloud Secret Manager (spec, "Credential providers"), asked for with application
 * default credentials, fetched at each call unless `ttlSeconds` says how long it serves. With `key`, one key of
 * a JSON secret.
 *
 * @returns a provider that throws CredentialError
 * @throws TypeError that names the parameter that cannot be used
 */
export function secretManager(
  parameters: SecretManagerParameters & { readonly key?: string | undefined },
): CredentialProvider {
  checkParameters('secretManager', parameters, RULES);
  const { key, ttlSeconds = 0 } = parameters;
  return new SecretManagerSecret({ ...parameters, ttlSeconds }).field(key);
}

/** The group variant: the secret is fetched once for all of its fields, and again after `ttlSeconds` if given. */
export class SecretManagerSecret {
  readonly #secret: SharedSecret;

  /** @throws TypeError that names the parameter that cannot be used */
  constructor(parameters: SecretManagerParameters) {
    checkParameters('SecretManagerSecret', parameters, RULES);
    this.#secret = new SharedSecret(sourceOf(parameters), parameters);
  }

  /** The provider of one key of the secret, or of its whole text. */
  field(key?: string): CredentialProvider {
    return this.#secret.field(key);
  }
}

function sourceOf(parameters: SecretManagerParameters): SecretSource {
  const { project, secretId, version = 'latest', clientOptions } = parameters;
  const name = `projects/${project}/secrets/${secretId}/versions/${version}`;
  const origin = { store: 'secret_manager', secret: name } as const;
  return {
    origin,
    reasonOf: reasonOfGoogleError,
    open: async () => {
      const { SecretManagerServiceClient } = await loadSdk(
        origin,
        '@google-cloud/secret-manager',
        () => import('@google-cloud/secret-manager'),
      );
      // REST: one small answer needs no gRPC channel. The project is known, so the SDK need not look for it.
      const client = new SecretManagerServiceClient({ fallback: true, projectId: project, ...clientOptions });
      const withoutLogin = (): never => {
        throw new CredentialError(origin, 'NOT_CONFIGURED');
      };
      await client.initialize().catch(withoutLogin);
      // The client's own method of this name logs the answer when the SDK's debug log is on, and cannot be
      // cancelled; the call below it does the same without either.
      const access = client.innerApiCalls.accessSecretVersion as unknown as AccessSecretVersion;
      return async (signal) => {
        await client.auth.getAccessToken().catch(withoutLogin);
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
