import { type ErrorCode, type ErrorReason, isUnreachable, porticoErrors } from 'portico/errors';
import type { CombinedError } from 'urql';

/** The reason says more than the code, so it is looked up first. */
const BY_REASON: Partial<Record<ErrorReason, string>> = {
  LOGIN_FAILED: 'The user name or the password is wrong.',
  PASSWORD_EXPIRED: 'Your password has expired. Set a new one in the platform, then log in here.',
  ACCOUNT_LOCKED: 'Your account is locked. Ask your administrator to unlock it.',
  ACCOUNT_DISABLED: 'Your account is disabled. Ask your administrator.',
  STANDARD_AUTH_DISABLED: 'Logging in with user name and password is turned off here.',
  SESSION_EXPIRED: 'Your session has ended. Please log in again.',
  NO_SESSION: 'Please log in.',
  SESSION_LIMIT: 'Too many people are logged in. Try again in a few minutes.',
  ANONYMOUS_LOGIN_OFF: 'Guest logins are turned off here. Please log in.',
};

const BY_CODE: Partial<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: 'Please log in.',
  FORBIDDEN: 'You are not allowed to see this. Ask your administrator for the privilege.',
  NOT_FOUND: 'It is no longer there.',
  RATE_LIMITED: 'There were too many attempts.',
  OVERLOADED: 'Too much is going on at the moment.',
  BACKEND_ERROR: 'The analytics server does not answer. It is not your fault; try again in a few minutes.',
  UPSTREAM_UNAVAILABLE: 'The analytics platform cannot be reached. Try again in a few minutes.',
  UPSTREAM_TIMEOUT: 'The analytics platform took too long. Try again.',
  SESSION_STORE_UNAVAILABLE: 'Logins do not work at the moment. Try again in a minute.',
};

export function firstCode(error: CombinedError): ErrorCode | undefined {
  return porticoErrors(error)[0]?.extensions.code;
}

/** One sentence for the user, and what to give support if only they can help. */
export function tellPerson(error: CombinedError): string {
  if (error.networkError?.name === 'TimeoutError') return 'The service took too long to answer. Try again.';
  if (isUnreachable(error)) return 'The service cannot be reached. Check your connection and try again.';
  const extensions = porticoErrors(error)[0]?.extensions;
  if (extensions === undefined) return 'Something went wrong. Try again later.';
  const { code, reason, retryAfter, requestId } = extensions;
  const sentence = (reason && BY_REASON[reason]) ?? BY_CODE[code];
  if (sentence === undefined) {
    return `Something went wrong. If it happens again, give support this number: ${requestId}.`;
  }
  return retryAfter === undefined ? sentence : `${sentence} Try again in ${retryAfter} seconds.`;
}
