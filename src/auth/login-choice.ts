import { InvalidRequestError, type LoginCredentials } from '../client/index.js';
import { type LoginInput } from './login.input.js';

/** How a caller wants to log in: with credentials of their own, or by a profile that the operator configured. */
export type LoginChoice =
  { readonly credentials: LoginCredentials } | { readonly profile: string; readonly profileKey: string };

/**
 * Reads the input of a login. Null counts as absent: GraphQL tells them apart, the platform does not.
 *
 * @throws InvalidRequestError when a profile is mixed with credentials, or comes without its key, or the key
 * alone, or a password without a user name.
 */
export function loginChoice(input: LoginInput): LoginChoice {
  const credentials = {
    username: input.username ?? undefined,
    password: input.password ?? undefined,
    apiKey: input.apiKey ?? undefined,
    applicationType: input.applicationType ?? undefined,
  };
  const { profile, profileKey } = input;
  if (profile == null && profileKey == null) return { credentials: usable(credentials) };
  if (profile == null || profileKey == null) {
    throw new InvalidRequestError('A login by profile needs both profile and profileKey');
  }
  if (Object.values(credentials).some((value) => value !== undefined)) {
    throw new InvalidRequestError(
      'A login by profile goes without username, password, apiKey and applicationType: the profile has them',
    );
  }
  return { profile, profileKey };
}

function usable(credentials: LoginCredentials): LoginCredentials {
  if (credentials.password !== undefined && credentials.username === undefined) {
    throw new InvalidRequestError('A password needs a user name');
  }
  return credentials;
}
