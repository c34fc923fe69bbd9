import { isDeepStrictEqual } from 'node:util';
import { type LoginCredentials, type CallOptions, type PlatformSession } from '../client/index.js';
import { type Once } from './providers/once.js';
import { type CredentialProfile, isProfileKey } from './credential-profile.js';
import { CredentialProfilesError, parseProfiles } from './parse-profiles.js';
import { logInByProfile, type ProfileContext, profileCredentials } from './profile-login.js';
import { look, watchText } from './watch-text.js';

/**
 * What the profiles report, and how often their file is read.
 * @example
 * const options: CredentialProfilesOptions = { onProblem: console.error, environment: process.env };
 */
export interface CredentialProfilesOptions extends ProfileContext {
  /** Called when the file has changed to something invalid or unreadable; the earlier profiles stay. */
  readonly onProblem: (problem: CredentialProfilesError) => void;
  /** Called when a change has taken effect. */
  readonly onChange?: (() => void) | undefined;
  /** Milliseconds between two reads of the file; default 2000. */
  readonly intervalMs?: number | undefined;
}

/**
 * Logs in a session with the credentials of a profile. If the platform refuses them, they are fetched once more,
 * because the secret may have been rotated, and tried if they have changed.
 *
 * @throws CredentialError when the credentials cannot be loaded
 * @throws LoginFailedError when the platform refuses them for good
 * @example
 * const logIn = async (login: ProfileLogin): Promise<void> => login(session);
 */
export type ProfileLogin = (session: PlatformSession, call?: CallOptions) => Promise<void>;

/**
 * How the last fetch of a profile's credentials ended. For an operator, so it never contains a value.
 * @example
 * const isStale = ({ succeeded }: ProfileResolution): boolean => !succeeded;
 */
export interface ProfileResolution {
  /** Whether the last fetch returned all of the profile's credentials. */
  readonly succeeded: boolean;
  /** When a fetch last succeeded, in milliseconds since the epoch; undefined before the first success. */
  readonly lastSuccess: number | undefined;
}

/**
 * The credential profiles of a file, updated when it changes.
 * @example
 * const options = { onProblem: console.error, environment: process.env };
 * const open = (path: string) => CredentialProfiles.open(path, options);
 */
export class CredentialProfiles {
  readonly #path: string;
  readonly #context: ProfileContext;
  readonly #endWatch: () => void;
  readonly #resolutions = new Map<string, ProfileResolution>();
  #opened: ReadonlyMap<string, OpenedProfile>;

  /**
   * Reads a file of credential profiles and starts to watch it.
   *
   * @param path of the YAML file
   * @param options what is reported, and how often the file is read
   * @throws CredentialProfilesError when the file cannot be read or is not valid
   */
  static async open(path: string, options: CredentialProfilesOptions): Promise<CredentialProfiles> {
    const found = await look(path);
    if ('code' in found) throw unreadable(path, found.code);
    return new CredentialProfiles(path, found.text, options);
  }

  private constructor(path: string, text: string, options: CredentialProfilesOptions) {
    this.#path = path;
    this.#context = options;
    this.#opened = this.#open(text);
    this.#endWatch = watchText(path, {
      seen: text,
      intervalMs: options.intervalMs ?? 2000,
      onText: (changed) => {
        this.#take(changed, options);
      },
      onUnreadable: (code) => {
        options.onProblem(unreadable(path, code));
      },
    });
  }

  /** The names of the profiles, in the order of the file. */
  get names(): readonly string[] {
    return [...this.#opened.keys()];
  }

  /**
   * How the last fetch of a profile's credentials ended; undefined before the first and once it has changed.
   * @param name of a profile
   */
  resolutionOf(name: string): ProfileResolution | undefined {
    return this.#resolutions.get(name);
  }

  /**
   * Fetches the credentials of a profile as a login would, so that `resolutionOf` knows of a broken one before its
   * first use. Does nothing if the profile does not exist.
   * @param name of a profile
   * @throws CredentialError when a credential cannot be loaded
   */
  async tryOut(name: string): Promise<void> {
    await this.#opened.get(name)?.credentials();
  }

  /**
   * The login of a profile, for a session that it has opened; undefined if the profile no longer exists.
   * @param name of a profile
   */
  loginOf(name: string): ProfileLogin | undefined {
    const opened = this.#opened.get(name);
    return opened && ((session, call) => logInByProfile(session, opened.credentials, call));
  }

  /**
   * The login of a profile, for a caller who has its key. A wrong key and a wrong name look the same.
   * @param name of a profile
   * @param key its `profileKey`
   */
  loginFor(name: string, key: string): ProfileLogin | undefined {
    return isProfileKey(this.#opened.get(name)?.profile, key) ? this.loginOf(name) : undefined;
  }

  /** Ends the watch. */
  close(): void {
    this.#endWatch();
  }

  #open(text: string): ReadonlyMap<string, OpenedProfile> {
    const { now = Date.now } = this.#context;
    return new Map(
      [...parseProfiles(this.#path, text)].map(([name, profile]) => {
        const onOutcome = (succeeded: boolean): void => {
          const lastSuccess = succeeded ? now() : this.resolutionOf(name)?.lastSuccess;
          this.#resolutions.set(name, { succeeded, lastSuccess });
        };
        return [name, { profile, credentials: profileCredentials(profile, { ...this.#context, onOutcome }) }];
      }),
    );
  }

  #take(text: string, { onChange, onProblem }: CredentialProfilesOptions): void {
    const before = this.#opened;
    try {
      this.#opened = this.#open(text);
    } catch (error) {
      if (!(error instanceof CredentialProfilesError)) throw error;
      onProblem(error);
      return;
    }
    for (const [name, { profile }] of before) {
      if (!isDeepStrictEqual(profile, this.#opened.get(name)?.profile)) this.#resolutions.delete(name);
    }
    onChange?.();
  }
}

interface OpenedProfile {
  readonly profile: CredentialProfile;
  readonly credentials: Once<LoginCredentials>;
}

function unreadable(path: string, code: string): CredentialProfilesError {
  return new CredentialProfilesError(path, [`cannot be read: ${code}`]);
}
