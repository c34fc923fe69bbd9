import { Directive, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars';
import { rawPayload, type PlatformProject } from 'portico/client';
import { Note } from '../logging/note.js';
import { graphqlInt } from '../session/graphql-int.js';
import { platformDate } from './platform-date.js';

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

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When the project was created.' })
  get dateCreated(): Date | undefined {
    return platformDate(this.#source.dateCreated);
  }

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When the project was last changed.' })
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

  /** Returns the same list for the same list: however many fields and requests share an answer, it is mapped once. */
  static listFrom(projects: readonly PlatformProject[]): Project[] {
    let list = lists.get(projects);
    if (list === undefined) {
      list = projects.map((project) => new Project(project));
      lists.set(projects, list);
    }
    return list;
  }

  /** The projects of a list by their ids: any number of look-ups costs one walk over the list. */
  static byId(projects: readonly PlatformProject[]): ReadonlyMap<unknown, Project> {
    let index = indexes.get(projects);
    if (index === undefined) {
      index = new Map(Project.listFrom(projects).map((project) => [project.id, project]));
      indexes.set(projects, index);
    }
    return index;
  }
}

const lists = new Note<readonly PlatformProject[], Project[]>('projects');
const indexes = new Note<readonly PlatformProject[], ReadonlyMap<unknown, Project>>('projects by id');
