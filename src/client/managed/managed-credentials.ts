import { resolveCredential, type Credential } from './credential.js';
import { type AuthenticationCredentials } from '../session/login-attempt.js';
import { MissingCredentialError } from '../errors/error-classes.js';

/** The five parameters of a managed session that may be a text, a provider, or absent; null is as good as absent (spec: Context-managed session). */
export interface ManagedCredentials {
  /** REST root of the platform. */
  baseUrl: Credential | URL;
  /** Who logs in; without a password, by mode 4096. */
  username?: Credential | null | undefined;
  /** Of the user, for mode 1. */
  password?: Credential | null | undefined;
  /** For a delegated login, before all else. */
  identityToken?: Credential | null | undefined;
  /** For mode 4096, before user name and password. */
  apiKey?: Credential | null | undefined;
}

/** Where to log in and with what, all providers resolved. */
export interface ResolvedCredentials {
  readonly baseUrl: string;
  readonly login: AuthenticationCredentials;
}

/**
 * Resolves all five, then picks: identity token, else API key, else user name and password, else a user name alone, else
 * nothing, which is an anonymous login.
 * @throws MissingCredentialError when one that is given resolves to nothing, or a password comes without a user name
 */
export async function resolveCredentials(options: ManagedCredentials): Promise<ResolvedCredentials> {
  const { baseUrl: baseUrlOf } = options;
  const [baseUrl, username, password, identityToken, apiKey] = await Promise.all([
    resolveCredential('baseUrl', baseUrlOf instanceof URL ? baseUrlOf.href : baseUrlOf),
    resolveCredential('username', options.username),
    resolveCredential('password', options.password),
    resolveCredential('identityToken', options.identityToken),
    resolveCredential('apiKey', options.apiKey),
  ]);
  if (baseUrl === undefined) throw new MissingCredentialError('The credential "baseUrl" is absent.');
  if (identityToken !== undefined) return { baseUrl, login: { identityToken } };
  if (apiKey !== undefined) return { baseUrl, login: { apiKey } };
  if (username === undefined && password !== undefined) {
    throw new MissingCredentialError('The credential "username" is absent, though a password is given.');
  }
  return { baseUrl, login: { username, password } };
}
