import { Field, ObjectType } from '@nestjs/graphql';
import { GraphQLDateTime } from 'graphql-scalars';

@ObjectType({
  description:
    'A token with which another client can join the session. It works once and for a short time. Treat it like a password.',
})
export class IdentityToken {
  @Field(() => String, { description: 'The token, for `delegate` or for a page that embeds the platform.' })
  token!: string;

  @Field(() => GraphQLDateTime, {
    description:
      'When the token expires, according to the setting IDENTITY_TOKEN_SECONDS. The platform does not say.',
  })
  expiresAt!: Date;
}
