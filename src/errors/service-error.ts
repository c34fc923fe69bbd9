import { GraphQLError } from 'graphql';
import { type ErrorCode, type ErrorReason, type REASON_TABLE, REASONS_OF_CODES } from 'portico/errors';

export interface ServiceErrorFacts {
  readonly reason?: ErrorReason | undefined;
  /** Seconds after which the same request may succeed; undefined if it never will. */
  readonly retryAfter?: number | undefined;
  /** What happened, for the operator: it is in the log and never in an answer. By default the message. */
  readonly detail?: string;
}

/**
 * The service itself refuses, or cannot do its work. The platform did not say so: that would be a `PlatformError`.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** What the caller reads. It quotes nothing of the request. */
  readonly publicMessage: string;
  readonly reason: ErrorReason | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { reason, retryAfter, detail = message }: ServiceErrorFacts = {},
  ) {
    super(detail);
    this.publicMessage = message;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  /** Whether a value is an error of the service with this code. */
  static is(error: unknown, code: ErrorCode): error is ServiceError {
    return error instanceof ServiceError && error.code === code;
  }
}

/**
 * The session store cannot be reached or cannot write. Says nothing about any session. `reason`: in words that are
 * safe to log.
 */
export function storeUnavailable(reason: string): ServiceError {
  return new ServiceError('SESSION_STORE_UNAVAILABLE', 'The session store cannot be reached', {
    retryAfter: 1,
    detail: `The session store is unavailable: ${reason}`,
  });
}

/** The session store can be read, but takes no writes. `reason` as for {@link storeUnavailable}. */
export function storeTakesNoWrites(reason: string): ServiceError {
  return new ServiceError('SESSION_STORE_UNAVAILABLE', 'The session store takes no writes', {
    reason: 'STORE_READ_ONLY',
    retryAfter: 1,
    detail: `The session store is unavailable: ${reason}`,
  });
}

/** The reasons of a code. From the table that is written by hand: the one for clients is generated after a build. */
type ReasonOf<Code extends ErrorCode> = {
  [Reason in ErrorReason]: Code extends (typeof REASON_TABLE)[Reason]['codes'][number] ? Reason : never;
}[ErrorReason];

/** Which limit of requests in flight was reached. */
export type OverloadReason = ReasonOf<'OVERLOADED'>;
export const OVERLOAD_REASONS: readonly OverloadReason[] = REASONS_OF_CODES.OVERLOADED;

/** Too many requests are in flight. Nothing was done. The load is usually over within a second. */
export function overloaded(reason: OverloadReason): ServiceError {
  return new ServiceError('OVERLOADED', 'Too many requests are in flight: try again', {
    reason,
    retryAfter: 1,
  });
}

/** Why a login is not attempted. */
export type RateLimitReason = ReasonOf<'RATE_LIMITED'>;
export const RATE_LIMIT_REASONS: readonly RateLimitReason[] = REASONS_OF_CODES.RATE_LIMITED;

const RATE_LIMIT_MESSAGES: Readonly<Record<RateLimitReason, string>> = {
  FAILED_LOGINS: 'Too many failed logins',
  LOGIN_RATE: 'Too many logins from this address',
  LOGIN_QUEUE: 'Too many logins are waiting',
};

/**
 * Too many logins, failed or waiting. The attempt was not made.
 *
 * @param retryAfter when to try again, in whole seconds, at least 1.
 */
export function rateLimited(reason: RateLimitReason, retryAfter: number): ServiceError {
  return new ServiceError('RATE_LIMITED', RATE_LIMIT_MESSAGES[reason], { reason, retryAfter });
}

/** The refusal of a whole request by Apollo's rules, which take the HTTP status from the error. */
export function refusedRequest(error: ServiceError, status: number): GraphQLError {
  return new GraphQLError(error.publicMessage, {
    originalError: error,
    extensions: { http: { status } },
  });
}
