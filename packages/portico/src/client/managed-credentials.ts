import { MissingCredentialError } from '../errors/error-classes.js';
import {
  delegateRequest,
  isPasswordWithoutUsername,
  loginRequest,
  modeField,
  requireLdapCredentials,
  type LoginCredentials,
  type LoginMode,
  type LoginRequest,
} from './session/login.js';

/** Returns a secret; called again each time the secret is needed. */
export type CredentialProvider = () => string | Promise<string>;

/** A secret, or a provider that returns it (spec: Context-managed session). */
export type Credential = string | CredentialProvider;

/**
 * The five parameters of a managed session. Each is a string, a provider, or absent; null means absent (spec:
 * Context-managed session).
 */
export interface ManagedCredentials {
  /** REST root of the platform. */
  baseUrl: Credential | URL;
  /** Who logs in; without a password, by mode 4096. */
  username?: Credential | null | undefined;
  /** The user's password, for mode 1. */
  password?: Credential | null | undefined;
  /** For a delegated login; takes precedence over everything else. */
  identityToken?: Credential | null | undefined;
  /** For mode 4096; takes precedence over user name and password. */
  apiKey?: Credential | null | undefined;
  /** Where the platform checks user name and password: itself, or the LDAP directory (mode 16). Default: itself. */
  mode?: LoginMode | null | undefined;
}

/** Where and how to log in, with all providers resolved. */
export interface ResolvedLogin {
  readonly baseUrl: string;
  /** The login to send. */
  readonly request: (applicationType: number) => LoginRequest;
}

/**
 * Resolves all five parameters, then selects: identity token, otherwise API key, otherwise user name and password,
 * otherwise a user name alone, otherwise nothing, which is an anonymous login.
 * @throws MissingCredentialError when a given one resolves to nothing, or a password comes without a user name
 */
export async function resolveLogin(options: ManagedCredentials): Promise<ResolvedLogin> {
  const { baseUrl: baseUrlOf } = options;
  const [baseUrl, username, password, identityToken, apiKey] = await Promise.all([
    resolveCredential('baseUrl', baseUrlOf instanceof URL ? baseUrlOf.href : baseUrlOf),
    resolveCredential('username', options.username),
    resolveCredential('password', options.password),
    resolveCredential('identityToken', options.identityToken),
    resolveCredential('apiKey', options.apiKey),
  ]);
  if (baseUrl === undefined) throw new MissingCredentialError('The credential "baseUrl" is missing.');
  if (identityToken !== undefined) return { baseUrl, request: () => delegateRequest(identityToken) };
  const mode = modeField(options);
  const credentials: LoginCredentials = apiKey === undefined ? { username, password, mode } : { apiKey };
  if (isPasswordWithoutUsername(credentials)) {
    throw new MissingCredentialError('The credential "username" is missing, but a password is given.');
  }
  requireLdapCredentials({ ...credentials, mode });
  return { baseUrl, request: (applicationType) => loginRequest(credentials, applicationType) };
}

/**
 * The secret behind a credential; undefined when the credential is absent or null. A provider that returns null is an
 * error.
 * @param name what an error calls the credential
 * @throws MissingCredentialError when it resolves to nothing
 */
async function resolveCredential(
  name: string,
  credential: Credential | null | undefined,
): Promise<string | undefined> {
  if (credential === undefined || credential === null) return undefined;
  const secret: unknown = typeof credential === 'function' ? await credential() : credential;
  if (typeof secret !== 'string' || secret === '') {
    throw new MissingCredentialError(`The credential "${name}" resolved to nothing.`);
  }
  return secret;
}
