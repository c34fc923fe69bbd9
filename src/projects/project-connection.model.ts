import { Directive, Field, Int, ObjectType } from '@nestjs/graphql';
import { Project } from './project.model.js';

@ObjectType({ description: 'Where the page is in the whole list.' })
@Directive('@shareable')
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether more projects follow this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether there are projects before this page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first project on the page. Null if the page is empty.',
  })
  startCursor?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the last project on the page: the `after` of the next page. Null if the page is empty.',
  })
  endCursor?: string | undefined;
}

@ObjectType({ description: 'A project and its position in the list.' })
export class ProjectEdge {
  @Field(() => String, { description: 'The position, for use as `after`.' })
  cursor!: string;

  @Field(() => Project, { description: 'The project.' })
  node!: Project;
}

@ObjectType({ description: 'A page of projects.' })
export class ProjectConnection {
  @Field(() => [ProjectEdge], { description: 'The projects on the page, each with its cursor.' })
  edges!: ProjectEdge[];

  @Field(() => [Project], { description: 'The projects on the page.' })
  nodes!: Project[];

  @Field(() => PageInfo, { description: 'Where the page is in the whole list.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'How many projects match the filter, over all pages.' })
  totalCount!: number;
}
