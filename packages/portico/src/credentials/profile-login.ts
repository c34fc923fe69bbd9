import { LoginFailedError, type PlatformSession } from '../client/index.js';
import { type Once } from './providers/once.js';
import { type ProfileLogin } from './profile-credentials.js';

/**
 * Logs in a session with the credentials of a profile. If the platform refuses them, the secret may have been rotated since
 * they were fetched, so they are fetched once more and tried if they have changed. The same credentials are not tried again,
 * because that would only lock the account.
 *
 * @throws CredentialError when they cannot be loaded
 * @throws LoginFailedError when the platform refuses them for good
 */
export async function logInByProfile(
  session: PlatformSession,
  credentials: Once<ProfileLogin>,
): Promise<void> {
  const first = await credentials();
  try {
    await session.login(first);
  } catch (error) {
    if (!(error instanceof LoginFailedError)) throw error;
    const second = await fetchedAfter(credentials, first);
    if (areSame(first, second)) throw error;
    await session.login(second);
  }
}

/** Uses the credentials that another refused login has already fetched again, if there are any. */
function fetchedAfter(credentials: Once<ProfileLogin>, refused: ProfileLogin): Promise<ProfileLogin> {
  return credentials().then((current) => {
    if (current !== refused) return current;
    credentials.forget();
    return credentials();
  });
}

function areSame(one: ProfileLogin, other: ProfileLogin): boolean {
  return (
    one.username === other.username &&
    one.password === other.password &&
    one.apiKey === other.apiKey &&
    one.mode === other.mode &&
    one.applicationType === other.applicationType
  );
}
