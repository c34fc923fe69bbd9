import { ArgsType, Field, ID, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import { Allow, ArrayMaxSize, IsOptional, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { ProjectOrder } from './project-order.js';

const LARGEST_PAGE = 500;
const LONGEST_CURSOR = 1024;
const LONGEST_NAME = 256;
const MOST_IDS = 1000;

registerEnumType(ProjectOrder, {
  name: 'ProjectOrder',
  description: 'The order of the projects. Projects that are equal in it are ordered by id.',
  valuesMap: {
    PLATFORM: { description: 'The order in which the platform lists them.' },
    NAME: { description: 'By name, ignoring case.' },
    NAME_DESC: { description: 'By name in reverse, ignoring case.' },
    DATE_CREATED: { description: 'Oldest first. Projects without a date come before all others.' },
    DATE_CREATED_DESC: { description: 'Newest first. Projects without a date come last.' },
    DATE_MODIFIED: { description: 'Least recently changed first.' },
    DATE_MODIFIED_DESC: { description: 'Most recently changed first.' },
  },
});

/** GraphQL has checked the types of all that is given; here are the rules that a schema cannot express. */
@InputType({ description: 'Which projects to list. A project must match every field that is given.' })
export class ProjectFilter {
  @Field(() => String, {
    nullable: true,
    description: 'Part of the name, ignoring case.',
  })
  @IsOptional()
  @MaxLength(LONGEST_NAME, { message: `$property must have at most ${LONGEST_NAME} characters` })
  nameContains?: string | null;

  @Field(() => Int, { nullable: true, description: 'The status. 0 is active.' })
  @Allow()
  status?: number | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'The ids, at most 1,000. An unknown id matches nothing.',
  })
  @IsOptional()
  @ArrayMaxSize(MOST_IDS, { message: `$property must have at most ${MOST_IDS} entries` })
  ids?: string[] | null;
}

const PAGE_RULE = { message: `first must be a whole number from 0 to ${LARGEST_PAGE}` };

@ArgsType()
export class ProjectsArgs {
  @Field(() => Int, { defaultValue: 50, description: 'How many projects: 0 to 500.' })
  @Min(0, PAGE_RULE)
  @Max(LARGEST_PAGE, PAGE_RULE)
  first!: number;

  @Field(() => String, { nullable: true, description: 'The page starts after this cursor.' })
  @IsOptional()
  @MaxLength(LONGEST_CURSOR, { message: '$property must be a cursor of projectsConnection' })
  after?: string | null;

  @Field(() => ProjectFilter, { nullable: true, description: 'Which projects to list.' })
  @IsOptional()
  @ValidateNested()
  @Type(() => ProjectFilter)
  filter?: ProjectFilter | null;

  @Field(() => ProjectOrder, {
    defaultValue: ProjectOrder.PLATFORM,
    description: 'The order of the projects.',
  })
  @Allow()
  orderBy!: ProjectOrder;
}

@ArgsType()
export class ProjectIdsArgs {
  @Field(() => [String], { description: 'Display names, at most 1,000, spelled exactly as on the platform.' })
  @ArrayMaxSize(MOST_IDS, { message: `$property must have at most ${MOST_IDS} entries` })
  names!: string[];
}
