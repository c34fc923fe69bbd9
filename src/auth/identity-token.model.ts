import { Field, ObjectType } from '@nestjs/graphql';
import { GraphQLDateTime } from 'graphql-scalars';

@ObjectType({
  description: 'A token by which another client joins the session, once and soon: treat it like a password.',
})
export class IdentityToken {
  @Field(() => String, { description: 'The token, for `delegate` or for what embeds the platform.' })
  token!: string;

  @Field(() => GraphQLDateTime, {
    description:
      'Until when the token can be used, by the setting IDENTITY_TOKEN_SECONDS: the platform does not tell.',
  })
  expiresAt!: Date;
}
