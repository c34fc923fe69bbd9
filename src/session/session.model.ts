import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { graphqlInt } from './graphql-int.js';
import { rawPayload, type PlatformSessionInfo, type PlatformUser } from '../client/index.js';

@ObjectType({ description: 'The logged-in user, as the platform reports it.' })
export class User {
  @Field(() => ID, { nullable: true, description: "The user's id; some platforms leave it out." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The name to show.' })
  fullName?: string | null;

  @Field(() => String, { nullable: true, description: "The initials of the user's name." })
  initials?: string | null;

  @Field(() => GraphQLJSONObject, { description: "The platform's own object, whole." })
  raw!: object;

  static from(user: PlatformUser): User {
    const { id, fullName, initials } = user;
    return { id, fullName, initials, raw: rawPayload(user) };
  }
}

@ObjectType({ description: 'The state of the platform session.' })
export class SessionStatus {
  @Field(() => ID, { nullable: true, description: 'The id of the logged-in user.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The name of the logged-in user.' })
  fullName?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds of idleness after which the platform ends the session.',
  })
  timeoutSeconds?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The locale id, for example 1033 for English (United States).',
  })
  locale?: number | null;

  @Field(() => GraphQLJSONObject, { description: "The platform's own object, whole." })
  raw!: object;

  static from(info: PlatformSessionInfo): SessionStatus {
    const { id, fullName, timeout, locale } = info;
    return {
      id,
      fullName,
      timeoutSeconds: graphqlInt(timeout),
      locale: graphqlInt(locale),
      raw: rawPayload(info),
    };
  }
}
