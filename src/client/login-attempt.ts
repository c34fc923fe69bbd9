import {
  delegateRequest,
  loginRequest,
  type AuthenticationCredentials,
  type DelegateRequest,
  type LoginRequest,
} from './login-request.js';
import { MissingCredentialError } from './platform-error-kinds.js';

/** A login as it is sent. */
export interface LoginAttempt {
  readonly path: 'auth/login' | 'auth/delegate';
  readonly body: LoginRequest | DelegateRequest;
  /** What must not show where the platform echoes it. */
  readonly secrets: readonly string[];
}

/**
 * The login that credentials stand for; an identity token goes before all else.
 * @throws MissingCredentialError when the identity token is empty
 */
export function loginAttempt(
  credentials: AuthenticationCredentials,
  defaultApplicationType: number,
): LoginAttempt {
  const { password, apiKey } = credentials;
  const identityToken = credentials.identityToken ?? undefined;
  if (identityToken === undefined) {
    const body = loginRequest(credentials, defaultApplicationType);
    return { path: 'auth/login', body, secrets: [password ?? '', apiKey ?? ''] };
  }
  if (identityToken === '') throw new MissingCredentialError('The identity token is empty.');
  return { path: 'auth/delegate', body: delegateRequest(identityToken), secrets: [identityToken] };
}
