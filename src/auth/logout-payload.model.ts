import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'The end of a session.' })
export class LogoutPayload {
  @Field(() => Boolean, { description: 'Always true: the handle no longer works.' })
  loggedOut!: boolean;
}
