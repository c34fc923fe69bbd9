import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsHash, IsInt, IsObject, Max, Min, ValidateNested } from 'class-validator';
import { type CredentialSource, MayBeAbsent, sourceClassOf } from './credential-source.js';

const Source = (): PropertyDecorator => (target, property) => {
  MayBeAbsent()(target, property);
  IsObject()(target, property);
  ValidateNested()(target, property);
  Type((help) => sourceClassOf(help?.object[help.property]))(target, property);
};

/** A number as YAML writes it: a text of digits is none. */
const IsWhole =
  (most?: number): PropertyDecorator =>
  (target, property) => {
    const range = most === undefined ? ', 0 or more' : ` from 0 to ${most}`;
    const options = { message: `$property must be a whole number${range}` };
    IsInt(options)(target, property);
    Min(0, options)(target, property);
    if (most !== undefined) Max(most, options)(target, property);
  };

/** A named way to log in without a password in anybody's hands: which credentials, and who may use them. */
export class CredentialProfile {
  @Source() readonly username?: CredentialSource;
  @Source() readonly password?: CredentialSource;
  @Source() readonly apiKey?: CredentialSource;

  /** Sent at login; default: the service's own. */
  @MayBeAbsent() @IsWhole() readonly applicationType?: number;

  /** Hexadecimal SHA-256 of the key that opens the profile. */
  @IsHash('sha256') readonly profileKeySha256: string;

  /** Seconds for which fetched credentials serve further logins; default 0, each login fetches them. */
  @MayBeAbsent() @IsWhole(86_400) readonly ttlSeconds?: number;
}

/** What is wrong with the credentials of a profile as a whole: each login has one mode (spec, "Endpoints"). */
export function loginProblem({ username, password, apiKey }: CredentialProfile): string | undefined {
  if (apiKey !== undefined) {
    return username === undefined && password === undefined
      ? undefined
      : 'apiKey goes without username and password';
  }
  if (username !== undefined) return undefined;
  return password === undefined ? 'username or apiKey is missing' : 'password goes with a username';
}
