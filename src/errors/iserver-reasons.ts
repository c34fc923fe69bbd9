import { type ErrorReason } from './error-codes.js';

/** Back-end codes that a front end should tell apart. */
const REASONS = new Map<number, ErrorReason>([
  [-2147216960, 'PASSWORD_EXPIRED'],
  [-2147216963, 'PASSWORD_EXPIRED'],
  [-2147216968, 'PASSWORD_EXPIRED'],
  [-2147216965, 'ACCOUNT_DISABLED'],
  [-2147216972, 'ACCOUNT_LOCKED'],
  [-2147202287, 'ACCOUNT_LOCKED'],
  [-2147072513, 'ACCOUNT_LOCKED'],
  [-2147213792, 'STANDARD_AUTH_DISABLED'],
  [-2147072486, 'SESSION_LIMIT'],
  [-2147209052, 'SESSION_LIMIT'],
  [-2147073423, 'SESSION_LIMIT'],
  [-2147073424, 'SESSION_LIMIT'],
  [-2147209151, 'PROJECT_NOT_LOADED'],
  [-2147209192, 'PROJECT_NOT_LOADED'],
  [-2147209177, 'PROJECT_NOT_LOADED'],
  [-2147209183, 'PROJECT_NOT_LOADED'],
]);

/** The reason of a back-end code, if it is one of `allowed`. */
export function iserverReason(
  iserverCode: string | undefined,
  ...allowed: ErrorReason[]
): ErrorReason | undefined {
  const reason = iserverCode === undefined ? undefined : REASONS.get(Number(iserverCode));
  return reason !== undefined && allowed.includes(reason) ? reason : undefined;
}
