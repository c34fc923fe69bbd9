import { type EnvironmentVariables } from './providers/store-definition.js';
import { once, type Once } from './providers/once.js';
import { type CredentialProfile, type LoginMode } from './credential-profile.js';
import { type RunFetch, sourceProviders } from './credential-source.js';

/** What a profile logs in with. */
export interface ProfileLogin {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly mode?: LoginMode | undefined;
  readonly applicationType?: number | undefined;
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
 * The credentials of a profile, fetched each time they are needed, shared among callers at the same time, or kept for the
 * profile's `ttlSeconds`. After `forget`, the next login fetches them whatever their age.
 *
 * @throws CredentialError, when called
 */
export function profileCredentials(
  profile: CredentialProfile,
  context: ProfileContext & {
    /** Called after each fetch, with whether it returned all of the credentials. */
    readonly onOutcome?: ((succeeded: boolean) => void) | undefined;
  },
): Once<ProfileLogin> {
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
