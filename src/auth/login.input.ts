import { Field, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { IsEnum, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { SessionTransport } from '../session/session.model.js';

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

/** An optional string. */
const MayHave =
  (most: number): PropertyDecorator =>
  (target, property) => {
    IsOptional()(target, property);
    IsString({ message: '$property must be a string' })(target, property);
    MaxLength(most, { message: `$property must have at most ${most} characters` })(target, property);
  };

/** Neither white space nor what no screen shows: a platform that drops those would be asked for an anonymous login. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Contains something that can be seen. */
const IsNotBlank = (): PropertyDecorator => Matches(VISIBLE, { message: '$property must not be empty' });

const InRange =
  (least: number, most: number): PropertyDecorator =>
  (target, property) => {
    const options = { message: `$property must be a whole number from ${least} to ${most}` };
    for (const decorate of [IsOptional(), IsInt(options), Min(least, options), Max(most, options)]) {
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
  @IsEnum(LoginMode, { message: '$property must be a LoginMode' })
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
  @IsEnum(SessionTransport, { message: '$property must be a SessionTransport' })
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
  @IsEnum(SessionTransport, { message: '$property must be a SessionTransport' })
  transport!: SessionTransport;
}
