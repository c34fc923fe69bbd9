/** Yields a secret when it is asked for; called anew each time that the secret is needed. */
export type CredentialProvider = () => string | Promise<string>;

/** A secret as it stands, or what yields it (spec: Context-managed session). */
export type Credential = string | CredentialProvider;
