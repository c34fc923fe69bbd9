import { Field, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { Allow, IsOptional, Matches, Max, MaxLength, Min } from 'class-validator';
import { SessionTransport } from '../session/session.model.js';
import { InvalidRequestError, type LoginCredentials } from 'portico/client';
import { type Account } from './login-subject.js';

export enum LoginMode {
  STANDARD = 'STANDARD',
  LDAP = 'LDAP',
}

registerEnumType(LoginMode, {
  name: 'LoginMode',
  description: 'Where the platform checks a user name and password.',
  valuesMap: {
    STANDARD: { description: 'In the platform itself (mode 1).' },
    LDAP: { description: 'In the LDAP directory that the platform is connected to (mode 16).' },
  },
});

/** The longest user name, profile name and key; more than any platform takes. */
const LONGEST_NAME = 256;
const LONGEST_SECRET = 4096;

/** An optional string. GraphQL has checked its type: here are the rules that a schema cannot express. */
const MayHave =
  (most: number): PropertyDecorator =>
  (target, property) => {
    IsOptional()(target, property);
    MaxLength(most, { message: `$property must have at most ${most} characters` })(target, property);
  };

/**
 * Neither white space nor what no screen shows: a platform that drops those would be asked for an anonymous login.
 */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Contains something that can be seen. */
const IsNotBlank = (): PropertyDecorator => Matches(VISIBLE, { message: '$property must not be empty' });

const InRange =
  (least: number, most: number): PropertyDecorator =>
  (target, property) => {
    const options = { message: `$property must be a whole number from ${least} to ${most}` };
    for (const decorate of [IsOptional(), Min(least, options), Max(most, options)]) {
      decorate(target, property);
    }
  };

@InputType({
  description:
    'The fields that are given select the login mode: username and password (1, or 16 with `mode: LDAP`), apiKey (4096), username alone (4096), nothing (8, anonymous), or a configured profile.',
})
export class LoginInput {
  @Field(() => String, { nullable: true, description: 'The user name.' })
  @MayHave(LONGEST_NAME)
  @IsNotBlank()
  username?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The password, which may be empty. It requires the user name.',
  })
  @MayHave(LONGEST_SECRET)
  password?: string | null;

  @Field(() => LoginMode, {
    defaultValue: LoginMode.STANDARD,
    description: 'Where the platform checks the user name and password.',
  })
  @Allow()
  mode: LoginMode = LoginMode.STANDARD;

  @Field(() => String, { nullable: true, description: 'An API key, instead of a user name and password.' })
  @MayHave(LONGEST_SECRET)
  @IsNotBlank()
  apiKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The name of a credential profile that the operator configured.',
  })
  @MayHave(LONGEST_NAME)
  @IsNotBlank()
  profile?: string | null;

  @Field(() => String, { nullable: true, description: 'The key that allows the use of the profile.' })
  @MayHave(LONGEST_SECRET)
  @IsNotBlank()
  profileKey?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The platform's application type, from 0 to 65535. The default is the service's setting.",
  })
  @InRange(0, 65_535)
  applicationType?: number | null;

  @Field(() => SessionTransport, {
    defaultValue: SessionTransport.COOKIE,
    description: 'How the caller sends the session handle.',
  })
  @Allow()
  transport: SessionTransport = SessionTransport.COOKIE;
}

@InputType({ description: 'A login with an identity token that the platform issued.' })
export class DelegateInput {
  @Field(() => String, { description: 'The identity token.' })
  @MaxLength(LONGEST_SECRET, { message: `$property must have at most ${LONGEST_SECRET} characters` })
  @IsNotBlank()
  identityToken!: string;

  @Field(() => SessionTransport, {
    defaultValue: SessionTransport.COOKIE,
    description: 'How the caller sends the session handle.',
  })
  @Allow()
  transport!: SessionTransport;
}

/**
 * The credentials of a login without a profile. Null counts as not given: GraphQL distinguishes the two, the
 * platform does not.
 *
 * @throws InvalidRequestError for more or fewer credentials than one login mode takes. The client follows the
 *   precedence of the specification instead, and a caller would not notice which of them it used.
 */
export function loginCredentials(input: LoginInput): LoginCredentials {
  const credentials = given(input);
  const { username, password, apiKey, mode } = credentials;
  if (apiKey !== undefined && (username !== undefined || password !== undefined)) {
    throw new InvalidRequestError('An apiKey cannot be combined with username or password');
  }
  if (password !== undefined && username === undefined) {
    throw new InvalidRequestError('A password needs a user name');
  }
  if (mode === 'ldap' && password === undefined) {
    throw new InvalidRequestError('The login mode LDAP needs username and password');
  }
  return credentials;
}

/** The account whose failures a login adds to; undefined for an anonymous login (mode 8). */
export function accountOf({ username, apiKey, mode }: LoginCredentials): Account | undefined {
  if (username != null) return { kind: 'user', name: username, mode: mode ?? undefined };
  return apiKey == null ? undefined : { kind: 'apiKey', name: apiKey };
}

/**
 * The credential profile of a login and the key that allows its use; undefined for a login without a profile.
 *
 * @throws InvalidRequestError when only one of the two is given, or when credentials are given as well
 */
export function profileLogin(input: LoginInput): { profile: string; profileKey: string } | undefined {
  const { profile, profileKey } = input;
  if (profile == null && profileKey == null) return undefined;
  if (profile == null || profileKey == null) {
    throw new InvalidRequestError('A login with a profile needs both profile and profileKey');
  }
  if (Object.values(given(input)).some((value) => value !== undefined)) {
    throw new InvalidRequestError(
      'A login by profile goes without username, password, apiKey, mode and applicationType: the profile has them',
    );
  }
  return { profile, profileKey };
}

function given({ username, password, apiKey, applicationType, mode }: LoginInput): LoginCredentials {
  return {
    username: username ?? undefined,
    password: password ?? undefined,
    apiKey: apiKey ?? undefined,
    mode: mode === LoginMode.LDAP ? 'ldap' : undefined,
    applicationType: applicationType ?? undefined,
  };
}
