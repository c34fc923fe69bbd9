import { type PlatformSession } from 'portico/client';

/** Logs in again for a session that a credential profile opened. The layer that has the credentials provides it. */
export interface Relogin {
  /**
   * Logs in a new platform session with freshly resolved credentials of the profile.
   *
   * @throws LoginFailedError when the platform refuses them, or the profile no longer exists.
   */
  logIn(session: PlatformSession, profile: string): Promise<void>;
}

/** The injection token of {@link Relogin}. */
export const Relogin = Symbol('Relogin');
