import { ArgsType, Field, ID, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsEnum,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { ProjectOrder } from './project-order.js';

const LARGEST_PAGE = 500;
const LONGEST_CURSOR = 1024;
const LONGEST_NAME = 256;
const MOST_IDS = 1000;

registerEnumType(ProjectOrder, {
  name: 'ProjectOrder',
  description: 'What projects are ordered by; equal ones by their ids.',
  valuesMap: {
    PLATFORM: { description: 'As the platform lists them.' },
    NAME: { description: 'By name, upper and lower case alike.' },
    NAME_DESC: { description: 'By name, from the end.' },
    DATE_CREATED: { description: 'The oldest first; those without a date before them.' },
    DATE_CREATED_DESC: { description: 'The newest first.' },
    DATE_MODIFIED: { description: 'The one that was not changed for the longest time first.' },
    DATE_MODIFIED_DESC: { description: 'The one that was changed last first.' },
  },
});

@InputType({ description: 'Which projects to list: those that match all that is given.' })
export class ProjectFilter {
  @Field(() => String, {
    nullable: true,
    description: 'A part of the name, in upper or lower case.',
  })
  @IsOptional()
  @IsString({ message: '$property must be a string' })
  @MaxLength(LONGEST_NAME, { message: `$property must have at most ${LONGEST_NAME} characters` })
  nameContains?: string | null;

  @Field(() => Int, { nullable: true, description: 'The status; 0 is active.' })
  @IsOptional()
  @IsInt({ message: '$property must be a whole number' })
  status?: number | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'The ids, at most 1,000; an unknown one matches nothing.',
  })
  @IsOptional()
  @IsArray({ message: '$property must be a list' })
  @ArrayMaxSize(MOST_IDS, { message: `$property must have at most ${MOST_IDS} entries` })
  ids?: string[] | null;
}

const PAGE_RULE = { message: `first must be a whole number from 0 to ${LARGEST_PAGE}` };

@ArgsType()
export class ProjectsArgs {
  @Field(() => Int, { defaultValue: 50, description: 'How many projects: 0 to 500.' })
  @IsInt(PAGE_RULE)
  @Min(0, PAGE_RULE)
  @Max(LARGEST_PAGE, PAGE_RULE)
  first!: number;

  @Field(() => String, { nullable: true, description: 'The cursor behind which the page begins.' })
  @IsOptional()
  @IsString({ message: '$property must be a string' })
  @MaxLength(LONGEST_CURSOR, { message: '$property must be a cursor of projectsConnection' })
  after?: string | null;

  @Field(() => ProjectFilter, { nullable: true, description: 'Which projects to list.' })
  @IsOptional()
  @ValidateNested()
  @Type(() => ProjectFilter)
  filter?: ProjectFilter | null;

  @Field(() => ProjectOrder, { defaultValue: ProjectOrder.PLATFORM, description: 'What to order by.' })
  @IsEnum(ProjectOrder, { message: '$property must be a ProjectOrder' })
  orderBy!: ProjectOrder;
}

@ArgsType()
export class ProjectIdsArgs {
  @Field(() => [String], { description: 'Display names, at most 1,000, in exactly this spelling.' })
  @ArrayMaxSize(MOST_IDS, { message: `$property must have at most ${MOST_IDS} entries` })
  names!: string[];
}
