import { PlatformError, type PlatformErrorFacts } from './platform-error.js';

/** `ERR003`: the platform refused the credentials. */
export class LoginFailedError extends PlatformError {}

/** `ERR009`, or no token held, or a snapshot that cannot be restored: there is no valid session. */
export class SessionError extends PlatformError {}

/** `ERR0014`, `ERR0017`: the user lacks a privilege or permission. */
export class InsufficientPrivilegesError extends PlatformError {}

/** `ERR004`: the resource does not exist. */
export class ResourceNotFoundError extends PlatformError {}

/** `ERR005`, `ERR006`, `ERR007`, or an argument refused before any request. */
export class InvalidRequestError extends PlatformError {}

/** `ERR0015`: the object to be created exists already. */
export class ObjectAlreadyExistsError extends PlatformError {}

/** `ERR002`, `ERR0013`: the server behind the REST layer failed or cannot be reached. */
export class BackendServerError extends PlatformError {}

/** An error payload without a recognised code. */
export class UnknownPlatformError extends PlatformError {}

/** The caller aborted the call. */
export class ExecutionCancelledError extends PlatformError {}

/** Why the platform could not be reached. */
export type UnreachableReason = 'CONNECT' | 'DNS' | 'TLS' | 'CIRCUIT_OPEN';

/** No answer: connection refused or reset, name not resolved, TLS refused, or the circuit is open. */
export class PlatformUnreachableError extends PlatformError {
  /** Where it failed. */
  readonly reason: UnreachableReason;

  constructor(message: string, reason: UnreachableReason, facts: PlatformErrorFacts = {}) {
    super(message, { retryable: reason !== 'TLS', ...facts });
    this.reason = reason;
  }
}

/** The call, redirects and retry included, took longer than its budget. */
export class PlatformTimeoutError extends PlatformError {}

/** An answer that breaks the protocol: not JSON, too large, of another shape, or a login without exactly one token. */
export class PlatformHttpError extends PlatformError {}

/** More redirects than allowed (spec: Limits). */
export class TooManyRedirectsError extends PlatformError {}

/** A redirect to another origin; it was not followed. */
export class ForeignRedirectError extends PlatformError {}

/** A credential resolved to nothing; no request was made. */
export class MissingCredentialError extends PlatformError {}
