import { SessionError } from '../errors/error-classes.js';
import { type PlatformProject } from './platform-types.js';
import { ProjectIndex } from './projects.js';
import { type SessionState } from './state/session-state.js';

/** The project look-ups of a session. They are the present user's: another user's do not outlive a login or a logout. */
export class LoadedProjects {
  readonly #state: SessionState;
  #index: ProjectIndex | undefined;
  #user: number | undefined;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** @throws SessionError when the session of the user who asked ended meanwhile; then nothing is kept */
  async load(fetch: () => Promise<PlatformProject[]>): Promise<void> {
    const { user } = this.#state;
    const index = new ProjectIndex(await fetch());
    if (user !== this.#state.user) {
      throw new SessionError('The session was ended or replaced while its projects were loaded.');
    }
    this.#index = index;
    this.#user = user;
  }

  /** @throws SessionError when the present user's projects have not been loaded */
  get index(): ProjectIndex {
    if (this.#index === undefined || this.#user !== this.#state.user) {
      throw new SessionError('The projects have not been loaded.');
    }
    return this.#index;
  }
}
