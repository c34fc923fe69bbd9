/** Why a login is not attempted, with the message for the caller. */
const MESSAGES = {
  FAILED_LOGINS: 'Too many failed logins',
  LOGIN_RATE: 'Too many logins from this address',
  LOGIN_QUEUE: 'Too many logins are waiting',
} as const;

export type RateLimitReason = keyof typeof MESSAGES;

export const RATE_LIMIT_REASONS = Object.keys(MESSAGES) as readonly RateLimitReason[];

/** Too many logins, failed or waiting. The attempt was not made. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';

  /** @param retryAfterSeconds when to try again, in whole seconds, at least 1. */
  constructor(
    readonly reason: RateLimitReason,
    readonly retryAfterSeconds: number,
  ) {
    super(MESSAGES[reason]);
  }
}
