import { type PlatformProject, ProjectIndex } from 'portico/client';
import { Project } from './project.model.js';
import { type Placed, type ProjectOrder, sorted } from './project-order.js';

/**
 * The projects of one answer of the platform, with all that is derived from them. Each is made when it is first
 * needed, once for all fields and requests that share the answer.
 */
export class ProjectList {
  readonly #source: readonly PlatformProject[];
  readonly #sorted = new Map<ProjectOrder, readonly Placed[]>();
  #projects: readonly Project[] | undefined;
  #index: ProjectIndex | undefined;

  constructor(source: readonly PlatformProject[]) {
    this.#source = source;
  }

  get length(): number {
    return this.#source.length;
  }

  get projects(): readonly Project[] {
    return (this.#projects ??= this.#source.map((project) => new Project(project)));
  }

  /** The project with an id; undefined for anything that is not the id of one. */
  project(id: unknown): Project | undefined {
    const found = typeof id === 'string' ? this.#lookUp.project(id) : undefined;
    return found && new Project(found);
  }

  /**
   * The id of the project with a name; undefined if there is none.
   *
   * @throws AmbiguousProjectNameError if several have the name.
   */
  idOf(name: string): string | undefined {
    return this.#lookUp.idOf(name);
  }

  get #lookUp(): ProjectIndex {
    return (this.#index ??= new ProjectIndex(this.#source));
  }

  /** Whether the list is already in an order, so that {@link inOrder} takes no time. */
  isIn(order: ProjectOrder): boolean {
    return this.#sorted.has(order);
  }

  inOrder(order: ProjectOrder): readonly Placed[] {
    let list = this.#sorted.get(order);
    if (list === undefined) {
      list = sorted(this.#source, order);
      this.#sorted.set(order, list);
    }
    return list;
  }

  /** What was read: its JSON is what a reused answer takes in memory. */
  toJSON(): readonly PlatformProject[] {
    return this.#source;
  }
}
