import { type PlatformSession } from '../client/index.js';

/** Logs in for a session that was opened by a credential profile; given by the layer that has the credentials. */
export interface Relogin {
  /**
   * Logs a fresh platform session in, with the profile's credentials resolved anew.
   *
   * @throws LoginFailedError when the platform refuses them, or there is no such profile any more.
   */
  logIn(session: PlatformSession, profile: string): Promise<void>;
}

/** The injection token of {@link Relogin}. */
export const Relogin = Symbol('Relogin');
