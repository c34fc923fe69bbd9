/** Which limit of requests in flight was reached. */
export const OVERLOAD_REASONS = ['SESSION_BUSY', 'ADDRESS_BUSY', 'SERVICE_BUSY'] as const;

export type OverloadReason = (typeof OVERLOAD_REASONS)[number];

/** In whole seconds. The load is usually over within one. */
const RETRY_AFTER_SECONDS = 1;

/** A request was refused before it was read, because too many are in flight. Nothing was done. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
  readonly statusCode = 503;
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(readonly reason: OverloadReason) {
    super('Too many requests are in flight: try again');
  }
}
