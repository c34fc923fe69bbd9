/** The stores a credential can come from, named as in the spec and in the profile file. */
export const CREDENTIAL_STORES = [
  'secrets_manager',
  'parameter_store',
  'key_vault',
  'secret_manager',
  'env',
  'file',
] as const;

export type CredentialStore = (typeof CREDENTIAL_STORES)[number];

/** Why a credential could not be loaded, in words for an operator. */
export const CREDENTIAL_REASONS = {
  NOT_FOUND: 'the store has no such secret',
  DENIED: 'the store refused the request',
  NOT_CONFIGURED: 'the SDK found no login or region of its own to ask the store with',
  THROTTLED: 'the store asks for fewer requests',
  TIMEOUT: 'the store did not answer in time',
  UNREACHABLE: 'the store cannot be reached or failed',
  MALFORMED: 'the answer cannot be read as a secret',
  EMPTY: 'the secret is empty',
  MISSING_KEY: 'the secret has no such key',
  MISSING_SDK: 'a package is missing',
} as const;

export type CredentialReason = keyof typeof CREDENTIAL_REASONS;

/** Where a secret is looked up: safe to print, unlike the secret itself. */
export interface SecretOrigin {
  readonly store: CredentialStore;
  /** The secret's own name: an id, a variable, a path. */
  readonly secret: string;
}

/**
 * A credential could not be loaded (spec, "Credential providers"). Names the store and the secret, and never holds a
 * value. It has no cause, since an SDK's own error may hold headers, tokens and bodies.
 */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
  readonly store: CredentialStore;
  readonly secret: string;
  readonly reason: CredentialReason;

  /** @param detail - more than the reason says, in names only, never anything that was read. */
  constructor(origin: SecretOrigin, reason: CredentialReason, detail: string = CREDENTIAL_REASONS[reason]) {
    super(`${origin.store} ${JSON.stringify(origin.secret)}: ${detail}`);
    this.store = origin.store;
    this.secret = origin.secret;
    this.reason = reason;
  }
}
