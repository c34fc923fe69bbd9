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

/**
 * Returns a secret; called again each time the secret is needed.
 * @example
 * const apiKey: CredentialProvider = async () => 'demo-api-key';
 * await withPlatformSession({ baseUrl, apiKey }, (session) => session.getProjects());
 */
export type CredentialProvider = () => string | Promise<string>;

/**
 * A secret, or a provider that returns it (spec: Context-managed session).
 * @example
 * const password: Credential = () => 'demo';
 * await withPlatformSession({ baseUrl, username: 'demo', password }, (session) => session.getProjects());
 */
export type Credential = string | CredentialProvider;

/**
 * Who logs in. Each is a string, a provider, or absent; null means absent (spec: Context-managed session).
 * @example
 * const login: LoginProviders = { username: 'demo', password: () => 'demo' };
 * await using session = await client.openManagedSession(login);
 */
export interface LoginProviders {
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

/**
 * The five parameters of a managed session (spec: Context-managed session).
 * @example
 * const credentials: ManagedCredentials = { baseUrl, apiKey: 'demo-api-key' };
 * await withPlatformSession(credentials, (session) => session.getProjects());
 */
export interface ManagedCredentials extends LoginProviders {
  /** REST root of the platform. */
  baseUrl: Credential | URL;
}

/** A login to send, with all providers resolved. */
export type ResolvedLogin = (applicationType: number) => LoginRequest;

/**
 * Resolves all credentials, then selects: identity token, otherwise API key, otherwise user name and password,
 * otherwise a user name alone, otherwise nothing, which is an anonymous login.
 * @throws MissingCredentialError when a given one resolves to nothing, or a password comes without a user name
 */
export async function resolveLogin(options: LoginProviders): Promise<ResolvedLogin> {
  const [username, password, identityToken, apiKey] = await Promise.all([
    resolveCredential('username', options.username),
    resolveCredential('password', options.password),
    resolveCredential('identityToken', options.identityToken),
    resolveCredential('apiKey', options.apiKey),
  ]);
  if (identityToken !== undefined) return () => delegateRequest(identityToken);
  const mode = modeField(options);
  const credentials: LoginCredentials = apiKey === undefined ? { username, password, mode } : { apiKey };
  if (isPasswordWithoutUsername(credentials)) {
    throw new MissingCredentialError('The credential "username" is missing, but a password is given.');
  }
  requireLdapCredentials({ ...credentials, mode });
  return (applicationType) => loginRequest(credentials, applicationType);
}

/** @throws MissingCredentialError when there is none */
export async function resolveBaseUrl({ baseUrl: given }: Partial<ManagedCredentials>): Promise<string> {
  const baseUrl = await resolveCredential('baseUrl', given instanceof URL ? given.href : given);
  if (baseUrl !== undefined) return baseUrl;
  throw new MissingCredentialError('The credential "baseUrl" is missing.');
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
