import { Inject, Injectable, Logger } from '@nestjs/common';
import { type CallOptions, LoginFailedError, type PlatformSession } from 'portico/client';
import { type Relogin } from '../session/session-runner.service.js';
import { CredentialError, CredentialProfiles, type ProfileLogin } from 'portico/credentials';

/** Logs in platform sessions by credential profile. The log says why a login failed, for the operator. */
@Injectable()
export class ProfileLoginService implements Relogin {
  readonly #logger = new Logger(ProfileLoginService.name);

  /** @param profiles undefined without `CREDENTIALS_FILE` */
  constructor(@Inject(CredentialProfiles) private readonly profiles: CredentialProfiles | undefined) {}

  /**
   * Logs in for a caller who has the key of the profile.
   *
   * @throws LoginFailedError, the same for an unknown profile, a wrong key and a refusal by the platform
   * @throws CredentialError
   */
  async logInWithKey(
    session: PlatformSession,
    profile: string,
    key: string,
    call: CallOptions,
  ): Promise<void> {
    const logIn = this.profiles?.loginFor(profile, key);
    if (logIn === undefined) {
      this.#logger.warn('A login with a profile was refused: there is no such profile, or the key is wrong');
      throw refused();
    }
    await this.#logInBy(session, profile, (each) => logIn(each, call));
  }

  async logIn(session: PlatformSession, profile: string): Promise<void> {
    const logIn = this.profiles?.loginOf(profile);
    if (logIn === undefined) {
      this.#logger.warn(`A session of the profile ${profile} ends: the profile no longer exists`);
      throw refused();
    }
    await this.#logInBy(session, profile, logIn);
    this.#logger.log(`A session of the profile ${profile} was logged in again`);
  }

  async #logInBy(session: PlatformSession, profile: string, logIn: ProfileLogin): Promise<void> {
    try {
      await logIn(session);
    } catch (error) {
      if (error instanceof CredentialError) {
        this.#logger.error(`The profile ${profile} cannot log in: ${error.message}`);
      } else if (error instanceof LoginFailedError) {
        this.#logger.error(`The platform refuses the credentials of the profile ${profile}`);
      }
      throw error;
    }
  }
}

/**
 * Has the code of a platform's refusal (spec, "Errors": authentication failed), so that the answers look the same.
 */
function refused(): LoginFailedError {
  return new LoginFailedError('The login with a profile was refused', { code: 'ERR003' });
}
