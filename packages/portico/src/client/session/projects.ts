import { AmbiguousProjectNameError, SessionError } from '../../errors/error-classes.js';
import { type PlatformProject } from './payload-shapes.js';
import { type SessionState } from './session-state.js';

/** Lookups over one list of projects (spec: load_projects, get_project_id). Names are case-sensitive. */
export class ProjectIndex {
  readonly #byId: ReadonlyMap<string, PlatformProject>;
  /** Made with the first look-up of a name. A list only where several projects share it. */
  #idsByName: ReadonlyMap<string, string | string[]> | undefined;

  constructor(projects: readonly PlatformProject[]) {
    this.#byId = new Map(projects.map((project) => [project.id, project]));
  }

  /** The project with an id; undefined when there is none. */
  project(id: string): PlatformProject | undefined {
    return this.#byId.get(id);
  }

  /**
   * Id of the project with a display name; undefined when there is none.
   * @throws AmbiguousProjectNameError when several projects have the name
   */
  idOf(name: string): string | undefined {
    this.#idsByName ??= idsByName(this.#byId.values());
    const ids = this.#idsByName.get(name);
    if (Array.isArray(ids)) throw new AmbiguousProjectNameError(ids);
    return ids;
  }
}

function idsByName(projects: Iterable<PlatformProject>): ReadonlyMap<string, string | string[]> {
  const index = new Map<string, string | string[]>();
  for (const { id, name } of projects) {
    const ids = index.get(name);
    if (ids === undefined) index.set(name, id);
    else if (typeof ids === 'string') index.set(name, [ids, id]);
    else ids.push(id);
  }
  return index;
}

/**
 * The project index of a session. It belongs to the current user: a logout or a login of another user discards it.
 */
export class LoadedProjects {
  readonly #state: SessionState;
  #index: ProjectIndex | undefined;
  #userGeneration: number | undefined;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** @throws SessionError when the user's session ended during the fetch; nothing is kept then */
  async load(fetch: () => Promise<PlatformProject[]>): Promise<void> {
    const { userGeneration } = this.#state;
    const index = new ProjectIndex(await fetch());
    if (userGeneration !== this.#state.userGeneration) {
      const message = 'The session was ended or replaced while its projects were loading.';
      throw new SessionError(message, {}, 'session-replaced');
    }
    this.#index = index;
    this.#userGeneration = userGeneration;
  }

  /** @throws SessionError when the current user's projects have not been loaded */
  get index(): ProjectIndex {
    if (this.#index === undefined || this.#userGeneration !== this.#state.userGeneration) {
      throw new SessionError('The projects have not been loaded: call loadProjects first.');
    }
    return this.#index;
  }
}
