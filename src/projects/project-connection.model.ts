import { Directive, Field, Int, ObjectType } from '@nestjs/graphql';
import { Project } from './project.model.js';

@ObjectType({ description: 'Where a page stands among all.' })
@Directive('@shareable')
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are more behind the page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether there are more before the page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first of the page; null on an empty one.',
  })
  startCursor?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last of the page, for `after` of the next; null on an empty one.',
  })
  endCursor?: string | undefined;
}

@ObjectType({ description: 'A project with its place on the list.' })
export class ProjectEdge {
  @Field(() => String, { description: 'The place, for `after`.' })
  cursor!: string;

  @Field(() => Project, { description: 'The project.' })
  node!: Project;
}

@ObjectType({ description: 'A page of projects.' })
export class ProjectConnection {
  @Field(() => [ProjectEdge], { description: 'The projects of the page, each with its cursor.' })
  edges!: ProjectEdge[];

  @Field(() => [Project], { description: 'The projects of the page.' })
  nodes!: Project[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'How many projects match the filter, on all pages together.' })
  totalCount!: number;
}
