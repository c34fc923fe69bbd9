import {
  delegateRequest,
  loginRequest,
  type LoginCredentials,
  type DelegateRequest,
  type LoginRequest,
} from './login.js';
import { InvalidRequestError, MissingCredentialError } from '../errors/error-classes.js';

/** A login as it is sent. */
export interface LoginAttempt {
  readonly path: 'auth/login' | 'auth/delegate';
  readonly body: LoginRequest | DelegateRequest;
  /** What must not show where the platform echoes it. */
  readonly secrets: readonly string[];
}

/** What to log in with, an identity token among it; the token, where there is one, goes before all else. */
export interface AuthenticationCredentials extends LoginCredentials {
  identityToken?: string | undefined;
}

/** Tokens are handed out in a header; what cannot stand in one is none. */
const IDENTITY_TOKEN = /^[\x20-\x7E]{1,4096}$/;

/**
 * The login that credentials stand for.
 * @throws InvalidRequestError when the identity token cannot be one
 */
export function loginAttempt(
  credentials: AuthenticationCredentials,
  defaultApplicationType: number,
): LoginAttempt {
  const { identityToken, password, apiKey } = credentials;
  if (identityToken !== undefined) {
    if (!IDENTITY_TOKEN.test(identityToken))
      throw new InvalidRequestError('The identity token is malformed.');
    return { path: 'auth/delegate', body: delegateRequest(identityToken), secrets: [identityToken] };
  }
  const body = loginRequest(credentials, defaultApplicationType);
  // What is sent as the name of a trusted user may well be an API key.
  const trusted = body.loginMode === 4096 ? body.username : undefined;
  return { path: 'auth/login', body, secrets: [password ?? '', apiKey ?? '', trusted ?? ''] };
}

/** @throws MissingCredentialError when it is no identity token: a login with none would be another login */
export function requireIdentityToken(given: unknown): string {
  if (typeof given === 'string' && given !== '') return given;
  throw new MissingCredentialError('The identity token is empty or no text.');
}
