import { Field, ObjectType } from '@nestjs/graphql';
import { GraphQLDateTime } from 'graphql-scalars';

@ObjectType({
  description:
    'A new session, and what a page needs next, so that one round trip can log in and load the page.',
})
export class AuthPayload {
  @Field(() => String, {
    nullable: true,
    description:
      'The session handle for `Authorization: Bearer`. Null with COOKIE, which sets an HttpOnly cookie instead.',
  })
  handle?: string;

  @Field(() => GraphQLDateTime, { description: 'When the handle expires, even if it is in use.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'A session that was extended.' })
export class ExtendPayload {
  @Field(() => GraphQLDateTime, { description: 'When the handle expires, even if it is in use.' })
  expiresAt!: Date;
}
