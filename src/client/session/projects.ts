import { PlatformError } from '../errors/platform-error.js';
import { type PlatformProject } from './platform-types.js';

/** Several projects have the name that was looked up; `projectIds` lists them. No request was made. */
export class AmbiguousProjectNameError extends PlatformError {
  /** Ids of all projects of the name. */
  readonly projectIds: readonly string[];

  constructor(projectIds: readonly string[]) {
    super(`${projectIds.length} projects have this name: ${projectIds.join(', ')}.`);
    this.projectIds = projectIds;
  }
}

/** Look-ups over one list of projects (spec: load_projects, get_project_id). Names are case-sensitive. */
export class ProjectIndex {
  readonly #byId: ReadonlyMap<string, PlatformProject>;
  readonly #idsByName = new Map<string, string[]>();

  constructor(projects: readonly PlatformProject[]) {
    this.#byId = new Map(projects.map((project) => [project.id, project]));
    for (const { id, name } of this.#byId.values()) {
      const ids = this.#idsByName.get(name);
      if (ids === undefined) this.#idsByName.set(name, [id]);
      else ids.push(id);
    }
  }

  /** The project with an id; undefined when none has it. */
  project(id: string): PlatformProject | undefined {
    return this.#byId.get(id);
  }

  /**
   * Id of the project with a display name; undefined when none has it.
   * @throws AmbiguousProjectNameError when several projects have the name
   */
  idOf(name: string): string | undefined {
    const ids = this.#idsByName.get(name) ?? [];
    if (ids.length > 1) throw new AmbiguousProjectNameError(ids);
    return ids[0];
  }
}
