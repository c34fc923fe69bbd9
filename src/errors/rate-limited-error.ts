/** Too many failed logins: the next try is not made. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';

  /** @param retryAfterSeconds when the next try will be made, in whole seconds of at least 1. */
  constructor(readonly retryAfterSeconds: number) {
    super('Too many failed logins');
  }
}
