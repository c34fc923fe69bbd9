import { Directive, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars';
import { rawPayload, type PlatformProject } from '../client/index.js';

@ObjectType({ description: 'Who owns a project.' })
export class ProjectOwner {
  @Field(() => ID, { nullable: true, description: "The owner's user id." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "The owner's name." })
  name?: string | null;
}

@ObjectType({ description: 'A project that the platform holds.' })
@Directive('@key(fields: "id")')
export class Project {
  @Field(() => ID, { description: "The project's id, 32 hexadecimal digits on most platforms." })
  id!: string;

  @Field(() => String, { description: 'The name to show; two projects may share it.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Another name, often empty.' })
  alias?: string | null;

  @Field(() => String, { nullable: true, description: 'What the project is for.' })
  description?: string | null;

  @Field(() => Int, { nullable: true, description: '0: active. An active project may still not be loaded.' })
  status?: number | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When the project was made.' })
  dateCreated?: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When the project was last changed.' })
  dateModified?: Date | null;

  @Field(() => ProjectOwner, { nullable: true, description: 'Who owns the project.' })
  owner?: ProjectOwner | null;

  @Field(() => GraphQLJSONObject, { description: "The platform's own object, whole." })
  raw!: object;

  static from(project: PlatformProject): Project {
    return {
      id: project.id,
      name: project.name,
      alias: project.alias,
      description: project.description,
      status: project.status,
      dateCreated: platformDate(project.dateCreated),
      dateModified: platformDate(project.dateModified),
      owner: project.owner && { id: project.owner.id, name: project.owner.name },
      raw: rawPayload(project),
    };
  }
}

/** The platform writes `2015-06-30T21:55:35.000+0000`, which is no RFC 3339; what is no date at all is left out. */
function platformDate(text: string | null | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
