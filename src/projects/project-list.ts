import { type PlatformProject, ProjectIndex } from 'portico/client';
import { Project } from './project.model.js';
import { type Placed, type ProjectOrder, sorted } from './project-order.js';

/**
 * The projects of one answer of the platform, with all that is derived from them. Each is made when it is first needed, once for
 * all fields and requests that share the answer.
 */
export class ProjectList {
  readonly #source: readonly PlatformProject[];
  readonly #sorted = new Map<ProjectOrder, readonly Placed[]>();
  #projects: readonly Project[] | undefined;
  #places: ReadonlyMap<unknown, number> | undefined;
  #byName: ProjectIndex | undefined;

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
    const place = this.placeOf(id);
    return place === undefined ? undefined : this.projects[place];
  }

  /** The index of a project in the platform's own order. */
  placeOf(id: unknown): number | undefined {
    // Of two with one id, the first is found.
    this.#places ??= new Map(this.#source.map(({ id: its }, place) => [its, place] as const).reverse());
    return this.#places.get(id);
  }

  /**
   * The id of the project with a name; undefined if there is none.
   *
   * @throws AmbiguousProjectNameError if several have the name.
   */
  idOf(name: string): string | undefined {
    this.#byName ??= new ProjectIndex(this.#source);
    return this.#byName.idOf(name);
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
