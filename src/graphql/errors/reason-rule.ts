import { isSessionExpired, type PlatformError } from '../../client/index.js';
import { type ErrorCode } from '../../errors/error-codes.js';
import { type ErrorReason, iserverReason, iserverReasons } from '../../errors/error-reasons.js';

/** How the reason of an error is found. */
export interface ReasonRule {
  /** Every reason that it can give. */
  readonly possible: readonly ErrorReason[];
  readonly of: (error: PlatformError) => ErrorReason | undefined;
}

/** One reason for every error. */
export function always(reason: ErrorReason): ReasonRule {
  return { possible: [reason], of: () => reason };
}

/** One of several reasons, by what the error itself says. */
export function oneOf<R extends ErrorReason>(
  possible: readonly R[],
  of: (error: PlatformError) => R | undefined,
): ReasonRule {
  return { possible, of };
}

/**
 * The reason of the error's back-end code, if that reason comes with the code of the answer.
 *
 * @param otherwise the reason of every other error; without it, they have none.
 */
export function byIServerCode(code: ErrorCode, otherwise?: ErrorReason): ReasonRule {
  const known = iserverReasons(code);
  return {
    possible: otherwise === undefined ? known : [otherwise, ...known],
    of: ({ iserverCode }) => iserverReason(iserverCode, code) ?? otherwise,
  };
}

/** `SESSION_EXPIRED` for an error that concerns the session; any other follows the rule. */
export function sessionOr({ possible, of }: ReasonRule): ReasonRule {
  return {
    possible: ['SESSION_EXPIRED', ...possible],
    of: (error) => (isSessionExpired(error) ? 'SESSION_EXPIRED' : of(error)),
  };
}
