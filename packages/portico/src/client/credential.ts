import { MissingCredentialError } from '../errors/error-classes.js';

/** Returns a secret; called again each time the secret is needed. */
export type CredentialProvider = () => string | Promise<string>;

/** A secret, or a provider that returns it (spec: Context-managed session). */
export type Credential = string | CredentialProvider;

/**
 * The secret behind a credential; undefined when the credential is absent or null. A provider that returns null is an error.
 * @param name what an error calls the credential
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
