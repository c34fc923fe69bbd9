import { Field, ID, ObjectType } from '@nestjs/graphql';

/** A type of the shop. Its field `project` is of a type of Portico. */
@ObjectType({ description: 'A report that the shop keeps.' })
export class Report {
  @Field(() => ID)
  id!: string;

  @Field()
  title!: string;

  /** The same scalar as in Portico's types: see `buildSchemaOptions` in shop.module.ts. */
  @Field(() => Date)
  writtenAt!: Date;

  readonly projectName!: string;
}

/** What a real shop has in a database. */
export const REPORTS: readonly Report[] = [
  {
    id: 'sales',
    title: 'Sales by region',
    writtenAt: new Date('2026-03-01T08:00:00Z'),
    projectName: 'Retail Sales',
  },
  {
    id: 'stock',
    title: 'Stock',
    writtenAt: new Date('2026-04-01T08:00:00Z'),
    projectName: 'No such project',
  },
];
