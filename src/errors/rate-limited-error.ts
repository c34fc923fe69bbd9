/** Too many failed logins: the attempt was not made. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';

  /** @param retryAfterSeconds when to try again, in whole seconds, at least 1. */
  constructor(readonly retryAfterSeconds: number) {
    super('Too many failed logins');
  }
}
