import { someOf } from './bounded-text.js';
import { PlatformError, type PlatformErrorFacts } from './platform-error.js';
import { type SessionErrorKind, type UnreachableReason } from './platform-error.js';

/**
 * `ERR003`: the platform rejected the credentials of a login, or, on any other call, the session.
 * @example
 * const error: unknown = await session.login({ apiKey: 'wrong' }).catch((failure: unknown) => failure);
 * if (error instanceof LoginFailedError) console.log(error.code, error.iserverCode); // ERR003 -2147216959
 */
export class LoginFailedError extends PlatformError {
  /** Always `login-failed`. */
  override readonly kind = 'login-failed';
  /**
   * True when the call was not a login: some platforms answer `ERR003` where others say `ERR009`. Otherwise absent.
   */
  declare readonly concernsSession?: boolean;
  /** See `SessionError`. */
  declare readonly cookiesWithheld?: boolean;

  override get name(): string {
    return 'LoginFailedError';
  }
}

/**
 * There is no usable session: `ERR009`, no token held, or a snapshot that cannot be restored. `kind` says which.
 * @example
 * const reason = (error: unknown) => (error instanceof SessionError ? error.kind : undefined);
 */
export class SessionError extends PlatformError {
  /** Why there is no usable session. */
  override readonly kind: SessionErrorKind;
  /** True when the request lacked a cookie that the platform had set, which may be why it was rejected. */
  declare readonly cookiesWithheld?: boolean;

  /**
   * @param message what happened, in words that are safe to log
   * @param facts what is known of the failed call
   * @param kind default: `session-expired` when the platform sent a code, otherwise `no-session`
   */
  constructor(message: string, facts: PlatformErrorFacts = {}, kind?: SessionErrorKind) {
    super(message, facts);
    this.kind = kind ?? (facts.code === undefined ? 'no-session' : 'session-expired');
  }

  override get name(): string {
    return 'SessionError';
  }
}

/**
 * `ERR0014`, `ERR0017`: the user lacks a privilege or permission.
 * @example
 * const isForbidden = (error: unknown): boolean => error instanceof InsufficientPrivilegesError;
 */
export class InsufficientPrivilegesError extends PlatformError {
  /** Always `insufficient-privileges`. */
  override readonly kind = 'insufficient-privileges';

  override get name(): string {
    return 'InsufficientPrivilegesError';
  }
}

/**
 * `ERR004`: the resource does not exist.
 * @example
 * const isUnknown = (error: unknown): boolean => error instanceof ResourceNotFoundError;
 */
export class ResourceNotFoundError extends PlatformError {
  /** Always `not-found`. */
  override readonly kind = 'not-found';

  override get name(): string {
    return 'ResourceNotFoundError';
  }
}

/**
 * `ERR005`, `ERR006`, `ERR007`, or an argument rejected before any request.
 * @example
 * const error: unknown = await session.login({ password: 'demo' }).catch((failure: unknown) => failure);
 * if (error instanceof InvalidRequestError) console.log(error.message); // A password needs a user name.
 */
export class InvalidRequestError extends PlatformError {
  /** Always `invalid-request`. */
  override readonly kind = 'invalid-request';

  override get name(): string {
    return 'InvalidRequestError';
  }
}

/**
 * `ERR0015`: the object to be created already exists.
 * @example
 * const isTaken = (error: unknown): boolean => error instanceof ObjectAlreadyExistsError;
 */
export class ObjectAlreadyExistsError extends PlatformError {
  /** Always `already-exists`. */
  override readonly kind = 'already-exists';

  override get name(): string {
    return 'ObjectAlreadyExistsError';
  }
}

/**
 * `ERR002`, `ERR0013`: the server behind the REST layer failed or cannot be reached.
 * @example
 * const isDown = (error: unknown): boolean => error instanceof BackendServerError && error.retryable;
 */
export class BackendServerError extends PlatformError {
  /** Always `backend`. */
  override readonly kind = 'backend';

  override get name(): string {
    return 'BackendServerError';
  }
}

/**
 * An error payload without a recognized code.
 * @example
 * const hasNoCode = (error: unknown): boolean => error instanceof UnknownPlatformError;
 */
export class UnknownPlatformError extends PlatformError {
  /** Always `unknown`. */
  override readonly kind = 'unknown';

  override get name(): string {
    return 'UnknownPlatformError';
  }
}

/**
 * The caller aborted the call.
 * @example
 * const signal = AbortSignal.abort(new Error('No longer needed.'));
 * const error: unknown = await session.getProjects({ signal }).catch((failure: unknown) => failure);
 * if (error instanceof ExecutionCancelledError) console.log((error.cause as Error).message); // No longer needed.
 */
export class ExecutionCancelledError extends PlatformError {
  /** Always `cancelled`. */
  override readonly kind = 'cancelled';

  override get name(): string {
    return 'ExecutionCancelledError';
  }
}

/**
 * No response: the connection was refused or reset, the host name did not resolve, TLS failed, or the circuit is
 * open.
 * @example
 * const reason = (error: unknown) => (error instanceof PlatformUnreachableError ? error.reason : undefined);
 */
export class PlatformUnreachableError extends PlatformError {
  /** Always `unreachable`. */
  override readonly kind = 'unreachable';
  /** Where it failed. */
  readonly reason: UnreachableReason;

  /**
   * @param message what happened, in words that are safe to log
   * @param reason where it failed
   * @param facts what is known of the failed call
   */
  constructor(message: string, reason: UnreachableReason, facts: PlatformErrorFacts = {}) {
    super(message, { retryable: reason !== 'TLS', ...facts });
    this.reason = reason;
  }

  override get name(): string {
    return 'PlatformUnreachableError';
  }
}

/**
 * The client was closed before or during the call. It is not known whether a call in flight took effect.
 * @example
 * const isClosed = (error: unknown): boolean => error instanceof ClientClosedError;
 */
export class ClientClosedError extends PlatformError {
  /** Always `client-closed`. */
  override readonly kind = 'client-closed';

  override get name(): string {
    return 'ClientClosedError';
  }
}

/**
 * The platform took longer than `timeoutMs` for the call, including redirects and the retry.
 * @example
 * const isLate = (error: unknown): boolean => error instanceof PlatformTimeoutError;
 */
export class PlatformTimeoutError extends PlatformError {
  /** Always `timeout`. */
  override readonly kind = 'timeout';

  override get name(): string {
    return 'PlatformTimeoutError';
  }
}

/**
 * The call waited longer than `queueTimeoutMs` for a connection of the client, and was not sent.
 * @example
 * const wasNotSent = (error: unknown): boolean => error instanceof QueueTimeoutError;
 */
export class QueueTimeoutError extends PlatformError {
  /** Always `queue-timeout`. */
  override readonly kind = 'queue-timeout';

  override get name(): string {
    return 'QueueTimeoutError';
  }
}

/**
 * The response breaks the protocol: it is not JSON, too large, of an unexpected shape, or accepts a login without
 * exactly one token.
 * @example
 * const isNoApi = (error: unknown): boolean => error instanceof PlatformHttpError;
 */
export class PlatformHttpError extends PlatformError {
  /** Always `protocol`. */
  override readonly kind = 'protocol';

  override get name(): string {
    return 'PlatformHttpError';
  }
}

/**
 * More redirects than allowed (spec: Limits).
 * @example
 * const isLoop = (error: unknown): boolean => error instanceof TooManyRedirectsError;
 */
export class TooManyRedirectsError extends PlatformError {
  /** Always `too-many-redirects`. */
  override readonly kind = 'too-many-redirects';

  override get name(): string {
    return 'TooManyRedirectsError';
  }
}

/**
 * A redirect to another origin; it was not followed.
 * @example
 * const leadsTo = (error: unknown) => (error instanceof ForeignRedirectError ? error.redirectHost : undefined);
 */
export class ForeignRedirectError extends PlatformError {
  /** Always `foreign-redirect`. */
  override readonly kind = 'foreign-redirect';

  override get name(): string {
    return 'ForeignRedirectError';
  }
}

/**
 * A required credential is missing or resolved to nothing; no request was made.
 * @example
 * const isMissing = (error: unknown): boolean => error instanceof MissingCredentialError;
 */
export class MissingCredentialError extends PlatformError {
  /** Always `missing-credential`. */
  override readonly kind = 'missing-credential';

  override get name(): string {
    return 'MissingCredentialError';
  }
}

/**
 * Several projects have the name that was looked up; `projectIds` lists them. No request was made.
 * @example
 * console.log(new AmbiguousProjectNameError(['1', '2']).projectIds); // [ '1', '2' ]
 */
export class AmbiguousProjectNameError extends PlatformError {
  /** Always `ambiguous-name`. */
  override readonly kind = 'ambiguous-name';
  /** Ids of all projects with the name. */
  readonly projectIds: readonly string[];

  /** @param projectIds ids of all projects with the name */
  constructor(projectIds: readonly string[]) {
    super(`${projectIds.length} projects have this name: ${someOf(projectIds)}.`);
    this.projectIds = projectIds;
  }

  override get name(): string {
    return 'AmbiguousProjectNameError';
  }
}
