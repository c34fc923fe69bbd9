import { InvalidRequestError, type LoginCredentials } from '../client/index.js';
import { type LoginInput } from './login.input.js';

/**
 * The credentials of a login without a profile. Null counts as not given: GraphQL distinguishes the two, the platform
 * does not.
 *
 * @throws InvalidRequestError for a password without a user name. The client accepts that together with an API key.
 */
export function loginCredentials(input: LoginInput): LoginCredentials {
  const credentials = given(input);
  if (credentials.password !== undefined && credentials.username === undefined) {
    throw new InvalidRequestError('A password needs a user name');
  }
  return credentials;
}

/**
 * The credential profile of a login and the key that allows its use; undefined for a login without a profile.
 *
 * @throws InvalidRequestError when only one of the two is given, or credentials as well
 */
export function profileLogin(input: LoginInput): { profile: string; profileKey: string } | undefined {
  const { profile, profileKey } = input;
  if (profile == null && profileKey == null) return undefined;
  if (profile == null || profileKey == null) {
    throw new InvalidRequestError('A login by profile needs both profile and profileKey');
  }
  if (Object.values(given(input)).some((value) => value !== undefined)) {
    throw new InvalidRequestError(
      'A login by profile goes without username, password, apiKey and applicationType: the profile has them',
    );
  }
  return { profile, profileKey };
}

function given({ username, password, apiKey, applicationType }: LoginInput): LoginCredentials {
  return {
    username: username ?? undefined,
    password: password ?? undefined,
    apiKey: apiKey ?? undefined,
    applicationType: applicationType ?? undefined,
  };
}
