import {
  type AmbiguousProjectNameError,
  type BackendServerError,
  type ClientClosedError,
  type ExecutionCancelledError,
  type ForeignRedirectError,
  type InsufficientPrivilegesError,
  type InvalidRequestError,
  type LoginFailedError,
  type MissingCredentialError,
  type ObjectAlreadyExistsError,
  type PlatformHttpError,
  type PlatformTimeoutError,
  type PlatformUnreachableError,
  type QueueTimeoutError,
  type ResourceNotFoundError,
  type SessionError,
  type TooManyRedirectsError,
  type UnknownPlatformError,
} from './error-classes.js';
import { isBranded, type PlatformError } from './platform-error.js';

/**
 * A `PlatformError` with a code that has no class of its own.
 * @example
 * const codeOf = (error: OtherPlatformError): string => error.code;
 * const of = (error: AnyPlatformError) => (error.kind === 'platform' ? codeOf(error) : undefined);
 */
export interface OtherPlatformError extends PlatformError {
  /** Always `platform`. */
  readonly kind: 'platform';
}

/**
 * Every error of the client. A check of `kind` narrows it to one class, with the fields of that class.
 * @example
 * const advice = (error: AnyPlatformError): string => (error.kind === 'unreachable' ? error.reason : error.code);
 * console.log(advice(new PlatformUnreachableError('No answer.', 'TLS'))); // TLS
 */
export type AnyPlatformError =
  | AmbiguousProjectNameError
  | BackendServerError
  | ClientClosedError
  | ExecutionCancelledError
  | ForeignRedirectError
  | InsufficientPrivilegesError
  | InvalidRequestError
  | LoginFailedError
  | MissingCredentialError
  | ObjectAlreadyExistsError
  | OtherPlatformError
  | PlatformHttpError
  | PlatformTimeoutError
  | PlatformUnreachableError
  | QueueTimeoutError
  | ResourceNotFoundError
  | SessionError
  | TooManyRedirectsError
  | UnknownPlatformError;

/**
 * Whether a value is an error of this client. Unlike `instanceof`, it knows the errors of another copy of this
 * package too, and a check of `kind` then narrows the type.
 * @param error anything that was thrown
 * @example
 * const error: unknown = new PlatformUnreachableError('No answer.', 'DNS');
 * if (isPlatformError(error) && error.kind === 'unreachable') console.log(error.reason); // DNS
 */
export function isPlatformError(error: unknown): error is AnyPlatformError {
  return isBranded(error);
}

/**
 * Whether the platform reported that the session has expired or is invalid (`ERR009`, or `ERR003` on any call but a
 * login), so that a new login can help. False for every error that the client raises on its own, such as a missing
 * token.
 * @param error anything that was thrown
 * @example
 * platform.expireSessions();
 * const error: unknown = await session.getProjects().catch((failure: unknown) => failure);
 * console.log(isSessionExpired(error)); // true
 */
export function isSessionExpired(error: unknown): error is SessionError | LoginFailedError {
  if (!isPlatformError(error)) return false;
  return error.kind === 'login-failed' ? error.concernsSession === true : error.kind === 'session-expired';
}

/**
 * Whether the platform's report proves that it has ended the session: `isSessionExpired`, and the request carried
 * every cookie that the platform had set. A cookie may be withheld because it was dropped (`onUnusableCookie`) or has
 * expired by this machine's clock; then the session may live on for a client that sends it, and must not be discarded
 * for others.
 * @param error anything that was thrown
 * @example
 * platform.expireSessions();
 * const error: unknown = await session.getProjects().catch((failure: unknown) => failure);
 * console.log(provesExpiry(error)); // true
 */
export function provesExpiry(error: unknown): error is SessionError | LoginFailedError {
  return isSessionExpired(error) && error.cookiesWithheld !== true;
}
