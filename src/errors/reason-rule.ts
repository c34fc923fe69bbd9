import { isSessionExpired, type PlatformError } from 'portico/client';
import { type ErrorCode, type ErrorReason, REASON_TABLE, type ReasonFacts } from 'portico/errors';

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

/** The reasons that a code of the back-end server can give to an error with this code. */
function iserverReasons(code: ErrorCode): ErrorReason[] {
  return Object.entries<ReasonFacts>(REASON_TABLE)
    .filter(([, { codes, iserverCodes }]) => iserverCodes && codes.includes(code))
    .map(([reason]) => reason as ErrorReason);
}

/** The reason that a back-end code gives to an error with this code; undefined where it gives none. */
function iserverReason(iserverCode: string | undefined, code: ErrorCode): ErrorReason | undefined {
  const number = Number(iserverCode);
  return iserverReasons(code).find((reason) =>
    (REASON_TABLE[reason] as ReasonFacts).iserverCodes?.includes(number),
  );
}
