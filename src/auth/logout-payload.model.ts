import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'The end of a session.' })
export class LogoutPayload {
  @Field(() => Boolean, { description: 'Always true: the handle no longer works.' })
  loggedOut!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether the platform has ended its session: it said so, or no longer knew the session. If not, Portico tries again for a minute.',
  })
  platformLoggedOut!: boolean;
}
