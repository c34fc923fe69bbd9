import { Transform } from 'class-transformer';
import { IsIn, IsNotEmpty, IsString, IsUrl, ValidateIf } from 'class-validator';
import { CREDENTIAL_STORES, type CredentialStore } from '../../errors/credential-error.js';

/** Marks what may be left out; unlike null, which in YAML is a name whose value was forgotten. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

const IsName = (): PropertyDecorator => (target, property) => {
  const options = { message: '$property must be a text that is not empty' };
  IsString(options)(target, property);
  IsNotEmpty(options)(target, property);
};

/** YAML reads a project's or a version's number as a number. */
const NumberAsText = (): PropertyDecorator =>
  Transform(({ value }): unknown => (Number.isSafeInteger(value) ? String(value) : value));

export class SecretsManagerSource {
  @IsIn(CREDENTIAL_STORES) readonly store: 'secrets_manager';
  @IsName() readonly secretId: string;
  @MayBeAbsent() @IsName() readonly key?: string;
  @MayBeAbsent() @IsName() readonly regionName?: string;
}

export class ParameterStoreSource {
  @IsIn(CREDENTIAL_STORES) readonly store: 'parameter_store';
  @IsName() readonly name: string;
  @MayBeAbsent() @IsName() readonly regionName?: string;
}

export class KeyVaultSource {
  @IsIn(CREDENTIAL_STORES) readonly store: 'key_vault';
  @IsUrl(
    { protocols: ['https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: '$property must be an address that begins with https://, without a login in it' },
  )
  readonly vaultUrl: string;
  @IsName() readonly secretName: string;
  @MayBeAbsent() @IsName() readonly key?: string;
}

export class SecretManagerSource {
  @IsIn(CREDENTIAL_STORES) readonly store: 'secret_manager';
  @IsName() @NumberAsText() readonly project: string;
  @IsName() readonly secretId: string;
  @MayBeAbsent() @IsName() @NumberAsText() readonly version?: string;
  @MayBeAbsent() @IsName() readonly key?: string;
}

export class EnvSource {
  @IsIn(CREDENTIAL_STORES) readonly store: 'env';
  @IsName() readonly name: string;
  @MayBeAbsent() @IsName() readonly key?: string;
}

export class FileSource {
  @IsIn(CREDENTIAL_STORES) readonly store: 'file';
  @IsName() readonly path: string;
  @MayBeAbsent() @IsName() readonly key?: string;
}

/** Stands for a source that names none of the stores, so that its `store` is what is reported. */
class UnknownSource {
  @IsIn(CREDENTIAL_STORES) readonly store: unknown;
}

/** Where a profile takes one credential from: a provider's name and parameters (spec, "Credential providers"). */
export type CredentialSource =
  SecretsManagerSource | ParameterStoreSource | KeyVaultSource | SecretManagerSource | EnvSource | FileSource;

const SOURCES: Readonly<Record<CredentialStore, new () => CredentialSource>> = {
  secrets_manager: SecretsManagerSource,
  parameter_store: ParameterStoreSource,
  key_vault: KeyVaultSource,
  secret_manager: SecretManagerSource,
  env: EnvSource,
  file: FileSource,
};

/** The class that checks a source as it was written. */
export function sourceClassOf(written: unknown): new () => object {
  const store = written instanceof Object && 'store' in written ? written.store : undefined;
  const known = CREDENTIAL_STORES.find((name) => name === store);
  return known === undefined ? UnknownSource : SOURCES[known];
}
