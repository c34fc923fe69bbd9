import { Directive, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars';
import { rawPayload, type PlatformProject } from 'portico/client';
import { graphqlInt } from '../session/graphql-int.js';

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
}

/** Date, time and offset; the platform writes `2015-06-30T21:55:35.000+0000`, which is not RFC 3339. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:(Z)|([+-]\d{2}):?(\d{2})?)?)?$/i;

/**
 * A date from the platform; without an offset it is in UTC, wherever the service runs. Anything else is undefined.
 */
export function platformDate(text: string | null | undefined): Date | undefined {
  const [whole, date = '', time = '00:00', , hours = '+00', minutes = '00'] =
    DATE_TIME.exec(text?.trim() ?? '') ?? [];
  if (whole === undefined) return undefined;
  const day = new Date(`${date}T00:00:00Z`);
  const parsed = new Date(`${date}T${time}${hours}:${minutes}`);
  // A day that the month does not have would be read as a day of the next month.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
  return isDay && !Number.isNaN(parsed.getTime()) ? parsed : undefined;
}
