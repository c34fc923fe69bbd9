import { Directive, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { rawPayload, type PlatformProject } from 'portico/client';
import { DateTime, graphqlInt, platformDate } from '../session/scalars.js';
import { ProjectIndex } from 'portico/internal';
import { type Placed, type ProjectOrder, sorted } from './project-order.js';

@ObjectType({ description: 'Who owns a project.' })
export class ProjectOwner {
  @Field(() => ID, { nullable: true, description: "The owner's user id." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "The owner's name." })
  name?: string | null;
}

/** Each field is computed when it is requested: lists are long, and few queries request all fields. */
@ObjectType({ description: 'A project on the platform.' })
@Directive('@key(fields: "id")')
export class Project {
  /** Tells a router what the entity is that it asked for. */
  readonly __typename = 'Project';
  readonly #source: PlatformProject;

  constructor(source: PlatformProject) {
    this.#source = source;
  }

  @Field(() => ID, { description: "The project's id, 32 hexadecimal digits on most platforms." })
  get id(): string {
    return this.#source.id;
  }

  @Field(() => String, { description: 'The display name. Two projects may share it.' })
  get name(): string {
    return this.#source.name;
  }

  @Field(() => String, { nullable: true, description: 'An alternative name, often empty.' })
  get alias(): string | null | undefined {
    return this.#source.alias;
  }

  @Field(() => String, { nullable: true, description: 'What the project is for.' })
  get description(): string | null | undefined {
    return this.#source.description;
  }

  @Field(() => Int, {
    nullable: true,
    description: '0 means active. An active project is not necessarily loaded.',
  })
  get status(): number | null {
    return graphqlInt(this.#source.status);
  }

  @Field(() => DateTime, { nullable: true, description: 'When the project was created.' })
  get dateCreated(): Date | undefined {
    return platformDate(this.#source.dateCreated);
  }

  @Field(() => DateTime, { nullable: true, description: 'When the project was last changed.' })
  get dateModified(): Date | undefined {
    return platformDate(this.#source.dateModified);
  }

  @Field(() => ProjectOwner, { nullable: true, description: 'Who owns the project.' })
  get owner(): ProjectOwner | null | undefined {
    return this.#source.owner;
  }

  @Field(() => GraphQLJSONObject, { description: 'The complete object as the platform sent it.' })
  get raw(): object {
    return rawPayload(this.#source);
  }
}

/** Where an array has its list. Not a WeakMap: V8 keeps its keys for longer than a request lasts. */
const LIST = Symbol('list of projects');

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

  /** The list of an array of the client, which returns one array for equal long responses of the platform. */
  static of(source: readonly PlatformProject[] & { [LIST]?: ProjectList }): ProjectList {
    return (source[LIST] ??= new ProjectList(source));
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
