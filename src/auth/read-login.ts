import { InvalidRequestError, type LoginCredentials } from 'portico/client';
import { LoginMode, type LoginInput } from './login.input.js';
import { type Account } from './login-subject.js';

/**
 * The credentials of a login without a profile. Null counts as not given: GraphQL distinguishes the two, the platform
 * does not.
 *
 * @throws InvalidRequestError for more or fewer credentials than one login mode takes. The client follows the precedence of the
 *   specification instead, and a caller would not notice which of them it used.
 */
export function loginCredentials(input: LoginInput): LoginCredentials {
  const credentials = given(input);
  const { username, password, apiKey, mode } = credentials;
  if (apiKey !== undefined && (username !== undefined || password !== undefined)) {
    throw new InvalidRequestError('An apiKey cannot be combined with username or password');
  }
  if (password !== undefined && username === undefined) {
    throw new InvalidRequestError('A password needs a user name');
  }
  if (mode === 'ldap' && password === undefined) {
    throw new InvalidRequestError('The login mode LDAP needs username and password');
  }
  return credentials;
}

/** Whether a login has no credentials (mode 8). */
export function isAnonymous({ username, apiKey }: LoginCredentials): boolean {
  return username === undefined && apiKey === undefined;
}

/** The account whose failures a login adds to; undefined for an anonymous login. */
export function accountOf({ username, apiKey, mode }: LoginCredentials): Account | undefined {
  if (username != null) return { kind: 'user', name: username, mode: mode ?? undefined };
  return apiKey == null ? undefined : { kind: 'apiKey', name: apiKey };
}

/**
 * The credential profile of a login and the key that allows its use; undefined for a login without a profile.
 *
 * @throws InvalidRequestError when only one of the two is given, or when credentials are given as well
 */
export function profileLogin(input: LoginInput): { profile: string; profileKey: string } | undefined {
  const { profile, profileKey } = input;
  if (profile == null && profileKey == null) return undefined;
  if (profile == null || profileKey == null) {
    throw new InvalidRequestError('A login with a profile needs both profile and profileKey');
  }
  if (Object.values(given(input)).some((value) => value !== undefined)) {
    throw new InvalidRequestError(
      'A login by profile goes without username, password, apiKey, mode and applicationType: the profile has them',
    );
  }
  return { profile, profileKey };
}

function given({ username, password, apiKey, applicationType, mode }: LoginInput): LoginCredentials {
  return {
    username: username ?? undefined,
    password: password ?? undefined,
    apiKey: apiKey ?? undefined,
    mode: mode === LoginMode.LDAP ? 'ldap' : undefined,
    applicationType: applicationType ?? undefined,
  };
}
