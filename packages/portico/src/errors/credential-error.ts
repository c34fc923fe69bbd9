/** Why a credential could not be loaded, in words for an operator. */
export const CREDENTIAL_REASONS = {
  NOT_FOUND: 'the store has no such secret',
  DENIED: 'the store refused the request',
  NOT_CONFIGURED: 'no login or region for the store was found',
  THROTTLED: 'the store asks for fewer requests',
  TIMEOUT: 'the store did not answer in time',
  UNREACHABLE: 'the store cannot be reached or has failed',
  MALFORMED: 'the answer cannot be read',
  EMPTY: 'the secret is empty',
  MISSING_KEY: 'the secret has no such key',
  MISSING_SDK: 'a package is missing',
} as const;

/**
 * Why a credential could not be loaded.
 * @example
 * const passing: CredentialReason[] = ['THROTTLED', 'TIMEOUT', 'UNREACHABLE'];
 */
export type CredentialReason = keyof typeof CREDENTIAL_REASONS;

/** Reasons that may go away without a change, so that a later try may succeed. */
const PASSING: readonly CredentialReason[] = ['THROTTLED', 'TIMEOUT', 'UNREACHABLE'];

/** Where a secret is looked up: safe to print, unlike the secret itself. */
export interface SecretOrigin {
  /** The store, as a credential profile names it. */
  readonly store: string;
  /** The name of the secret: an id, a variable, or a path. */
  readonly secret: string;
}

/**
 * A credential could not be loaded (spec, "Credential providers"). Names the store and the secret and never holds a
 * value. It has no cause, because an SDK's own error may hold headers, tokens and bodies.
 * @example
 * const password = env({ name: 'NOT_SET', environment: {} });
 * const error: unknown = await Promise.resolve().then(password).catch((failure: unknown) => failure);
 * if (error instanceof CredentialError) console.log(error.store, error.reason); // env NOT_FOUND
 */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
  readonly store: string;
  readonly secret: string;
  readonly reason: CredentialReason;
  /** Whether a later try may succeed without any change. */
  readonly retryable: boolean;

  /**
   * @param origin the store, and the name of the secret in it
   * @param reason why it could not be loaded
   * @param detail what is known beyond the reason; contains names only, never anything that was read
   */
  constructor(origin: SecretOrigin, reason: CredentialReason, detail: string = CREDENTIAL_REASONS[reason]) {
    super(`${origin.store} ${JSON.stringify(origin.secret)}: ${detail}`);
    this.store = origin.store;
    this.secret = origin.secret;
    this.reason = reason;
    this.retryable = PASSING.includes(reason);
  }
}
