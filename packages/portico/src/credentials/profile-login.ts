import {
  type CallOptions,
  type LoginCredentials,
  LoginFailedError,
  type PlatformSession,
} from '../client/index.js';
import { once, type Once } from './providers/once.js';
import { type EnvironmentVariables } from './providers/store-definition.js';
import { type CredentialProfile } from './credential-profile.js';
import { type RunFetch, sourceProviders } from './credential-source.js';

/**
 * Logs in a session with the credentials of a profile. If the platform refuses them, the secret may have been rotated
 * since they were fetched, so they are fetched once more and tried if they have changed. The same credentials are not
 * tried again, because that would only lock the account.
 *
 * @throws CredentialError when they cannot be loaded
 * @throws LoginFailedError when the platform refuses them for good
 */
export async function logInByProfile(
  session: PlatformSession,
  credentials: Once<LoginCredentials>,
  call: CallOptions = {},
): Promise<void> {
  const first = await credentials();
  try {
    await session.login(first, call);
  } catch (error) {
    if (!(error instanceof LoginFailedError)) throw error;
    const second = await fetchedAfter(credentials, first);
    if (areSame(first, second)) throw error;
    await session.login(second, call);
  }
}

/** Uses the credentials that another refused login has already fetched again, if there are any. */
function fetchedAfter(
  credentials: Once<LoginCredentials>,
  refused: LoginCredentials,
): Promise<LoginCredentials> {
  return credentials().then((current) => {
    if (current !== refused) return current;
    credentials.forget();
    return credentials();
  });
}

function areSame(one: LoginCredentials, other: LoginCredentials): boolean {
  return (
    one.username === other.username &&
    one.password === other.password &&
    one.apiKey === other.apiKey &&
    one.mode === other.mode &&
    one.applicationType === other.applicationType
  );
}

export interface ProfileContext {
  /** Where sources of the store `env` look. */
  readonly environment: EnvironmentVariables;
  /** The clock of `ttlSeconds`, in milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Runs each fetch of one credential, for traces. */
  readonly runFetch?: RunFetch | undefined;
}

/**
 * The credentials of a profile, fetched each time they are needed, shared among callers at the same time, or kept for
 * the profile's `ttlSeconds`. After `forget`, the next login fetches them again in any case.
 *
 * @throws CredentialError, when called
 */
export function profileCredentials(
  profile: CredentialProfile,
  context: ProfileContext & {
    /** Called after each fetch, with whether it returned all of the credentials. */
    readonly onOutcome?: ((succeeded: boolean) => void) | undefined;
  },
): Once<LoginCredentials> {
  const providerOf = sourceProviders(context.environment, context.runFetch);
  const [username, password, apiKey] = [profile.username, profile.password, profile.apiKey].map(
    (source) => source && providerOf(source),
  );
  return once(
    async () => {
      const values = await Promise.all([username?.(), password?.(), apiKey?.()]).catch((error: unknown) => {
        context.onOutcome?.(false);
        throw error;
      });
      context.onOutcome?.(true);
      return {
        username: values[0],
        password: values[1],
        apiKey: values[2],
        mode: profile.mode,
        applicationType: profile.applicationType,
      };
    },
    { ttlSeconds: profile.ttlSeconds ?? 0, now: context.now },
  );
}
