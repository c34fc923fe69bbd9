import { Field, InputType, Int, registerEnumType } from '@nestjs/graphql';

export enum SessionTransport {
  COOKIE = 'COOKIE',
  BEARER = 'BEARER',
}

registerEnumType(SessionTransport, {
  name: 'SessionTransport',
  description: 'How the caller will carry the session handle.',
  valuesMap: {
    COOKIE: { description: 'An HttpOnly cookie: for browsers.' },
    BEARER: {
      description:
        'The handle in the answer, to be sent as `Authorization: Bearer`: for servers and routers.',
    },
  },
});

@InputType({
  description:
    'Picks the login mode: username and password (1), apiKey (4096), username alone (4096), nothing (8, anonymous), or a configured profile.',
})
export class LoginInput {
  @Field(() => String, { nullable: true, description: 'The user name.' })
  username?: string | null;

  @Field(() => String, { nullable: true, description: 'The password; requires the user name.' })
  password?: string | null;

  @Field(() => String, { nullable: true, description: 'An API key, in place of name and password.' })
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The name of a credential profile that the operator configured.',
  })
  profile?: string | null;

  @Field(() => String, { nullable: true, description: 'The key that allows the use of the profile.' })
  profileKey?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The platform's application type; by default the service's setting.",
  })
  applicationType?: number | null;

  @Field(() => SessionTransport, {
    defaultValue: SessionTransport.COOKIE,
    description: 'How the caller will carry the session handle.',
  })
  transport!: SessionTransport;
}

@InputType({ description: 'A login by an identity token that the platform issued.' })
export class DelegateInput {
  @Field(() => String, { description: 'The identity token.' })
  identityToken!: string;

  @Field(() => SessionTransport, {
    defaultValue: SessionTransport.COOKIE,
    description: 'How the caller will carry the session handle.',
  })
  transport!: SessionTransport;
}
