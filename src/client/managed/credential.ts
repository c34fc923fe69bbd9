import { MissingCredentialError } from '../errors/error-classes.js';

/** Yields a secret when it is asked for; called anew each time that the secret is needed. */
export type CredentialProvider = () => string | Promise<string>;

/** A secret as it stands, or what yields it (spec: Context-managed session). */
export type Credential = string | CredentialProvider;

/**
 * The secret behind a credential; undefined when the credential is absent or null. A provider that yields null is no absence.
 * @param name how an error calls the credential
 * @throws MissingCredentialError when it resolves to nothing
 */
export async function resolveCredential(
  name: string,
  credential: Credential | null | undefined,
): Promise<string | undefined> {
  if (credential === undefined || credential === null) return undefined;
  const secret: unknown = typeof credential === 'function' ? await credential() : credential;
  if (typeof secret !== 'string' || secret === '') {
    throw new MissingCredentialError(`The credential "${name}" resolved to nothing.`);
  }
  return secret;
}
