import { boundedText } from './bounded-text.js';
import { PlatformError, type PlatformErrorFacts, type SessionErrorKind } from './platform-error.js';

/** `ERR003`: the platform rejected the credentials of a login, or, on any other call, the session. */
export class LoginFailedError extends PlatformError {
  /** Always `login-failed`. */
  override readonly kind = 'login-failed';
  /**
   * True when the call was not a login: some platforms answer `ERR003` where others say `ERR009`. Otherwise absent.
   */
  declare readonly concernsSession?: boolean;
  /** See `SessionError`. */
  declare readonly cookiesWithheld?: boolean;
}

/** There is no usable session: `ERR009`, no token held, or a snapshot that cannot be restored. `kind` says which. */
export class SessionError extends PlatformError {
  /** Why there is no usable session. */
  override readonly kind: SessionErrorKind;
  /**
   * True when the request lacked a cookie that the platform had set, which may be why it was rejected. Otherwise
   * absent.
   */
  declare readonly cookiesWithheld?: boolean;

  /** @param kind default: `session-expired` when the platform sent a code, otherwise `no-session` */
  constructor(message: string, facts: PlatformErrorFacts = {}, kind?: SessionErrorKind) {
    super(message, facts);
    this.kind = kind ?? (facts.code === undefined ? 'no-session' : 'session-expired');
  }
}

/**
 * Whether the platform reported that the session has expired or is invalid (`ERR009`, or `ERR003` on any call but a
 * login), so that a new login can help. False for every error that the client raises on its own, such as a missing
 * token.
 */
export function isSessionExpired(error: unknown): error is SessionError | LoginFailedError {
  if (error instanceof LoginFailedError) return error.concernsSession === true;
  return error instanceof SessionError && error.kind === 'session-expired';
}

/**
 * Whether the platform's report proves that it has ended the session: `isSessionExpired`, and the request carried
 * every cookie that the platform had set. A cookie may be withheld because it was dropped (`onUnusableCookie`) or has
 * expired by this machine's clock; then the session may live on for a client that sends it, and must not be discarded
 * for others.
 */
export function provesExpiry(error: unknown): error is SessionError | LoginFailedError {
  return isSessionExpired(error) && error.cookiesWithheld !== true;
}

/** `ERR0014`, `ERR0017`: the user lacks a privilege or permission. */
export class InsufficientPrivilegesError extends PlatformError {
  /** Always `insufficient-privileges`. */
  override readonly kind = 'insufficient-privileges';
}

/** `ERR004`: the resource does not exist. */
export class ResourceNotFoundError extends PlatformError {
  /** Always `not-found`. */
  override readonly kind = 'not-found';
}

/** `ERR005`, `ERR006`, `ERR007`, or an argument rejected before any request. */
export class InvalidRequestError extends PlatformError {
  /** Always `invalid-request`. */
  override readonly kind = 'invalid-request';
}

/** `ERR0015`: the object to be created already exists. */
export class ObjectAlreadyExistsError extends PlatformError {
  /** Always `already-exists`. */
  override readonly kind = 'already-exists';
}

/** `ERR002`, `ERR0013`: the server behind the REST layer failed or cannot be reached. */
export class BackendServerError extends PlatformError {
  /** Always `backend`. */
  override readonly kind = 'backend';
}

/** An error payload without a recognized code. */
export class UnknownPlatformError extends PlatformError {
  /** Always `unknown`. */
  override readonly kind = 'unknown';
}

/** The caller aborted the call. */
export class ExecutionCancelledError extends PlatformError {
  /** Always `cancelled`. */
  override readonly kind = 'cancelled';
}

/** Why the platform could not be reached. */
export type UnreachableReason = 'CONNECT' | 'DNS' | 'TLS' | 'CIRCUIT_OPEN';

/**
 * No response: the connection was refused or reset, the host name did not resolve, TLS failed, or the circuit is
 * open.
 */
export class PlatformUnreachableError extends PlatformError {
  /** Always `unreachable`. */
  override readonly kind = 'unreachable';
  /** Where it failed. */
  readonly reason: UnreachableReason;

  constructor(message: string, reason: UnreachableReason, facts: PlatformErrorFacts = {}) {
    super(message, { retryable: reason !== 'TLS', ...facts });
    this.reason = reason;
  }
}

/** The call, including redirects and the retry, took longer than `timeoutMs`. */
export class PlatformTimeoutError extends PlatformError {
  /** Always `timeout`. */
  override readonly kind = 'timeout';
}

/**
 * The response breaks the protocol: it is not JSON, too large, of an unexpected shape, or accepts a login without
 * exactly one token.
 */
export class PlatformHttpError extends PlatformError {
  /** Always `protocol`. */
  override readonly kind = 'protocol';
}

/** More redirects than allowed (spec: Limits). */
export class TooManyRedirectsError extends PlatformError {
  /** Always `too-many-redirects`. */
  override readonly kind = 'too-many-redirects';
}

/** A redirect to another origin; it was not followed. */
export class ForeignRedirectError extends PlatformError {
  /** Always `foreign-redirect`. */
  override readonly kind = 'foreign-redirect';
}

/** A required credential is missing or resolved to nothing; no request was made. */
export class MissingCredentialError extends PlatformError {
  /** Always `missing-credential`. */
  override readonly kind = 'missing-credential';
}

/** How many ids a message lists. */
const MOST_LISTED = 10;

/** Several projects have the name that was looked up; `projectIds` lists them. No request was made. */
export class AmbiguousProjectNameError extends PlatformError {
  /** Always `ambiguous-name`. */
  override readonly kind = 'ambiguous-name';
  /** Ids of all projects with the name. */
  readonly projectIds: readonly string[];

  constructor(projectIds: readonly string[]) {
    super(`${projectIds.length} projects have this name: ${someOf(projectIds)}.`);
    this.projectIds = projectIds;
  }
}

/** The ids are texts of the platform, and there may be thousands. */
function someOf(ids: readonly string[]): string {
  const some = boundedText(ids.slice(0, MOST_LISTED).join(', '), []);
  return ids.length > MOST_LISTED ? `${some} and ${ids.length - MOST_LISTED} more` : some;
}

type CodedErrorClass = new (message: string, facts?: PlatformErrorFacts) => PlatformError;

/** Spec, Errors: the classes by number, because the wire says `ERR014` where the spec says `ERR0014`. */
const CLASS_BY_NUMBER: ReadonlyMap<number, CodedErrorClass> = new Map<number, CodedErrorClass>([
  [2, BackendServerError],
  [3, LoginFailedError],
  [4, ResourceNotFoundError],
  [5, InvalidRequestError],
  [6, InvalidRequestError],
  [7, InvalidRequestError],
  [9, SessionError],
  [13, BackendServerError],
  [14, InsufficientPrivilegesError],
  [15, ObjectAlreadyExistsError],
  [17, InsufficientPrivilegesError],
]);

/** 13: the back-end server cannot be reached; 16: the service is unavailable. */
const TRANSIENT_NUMBERS: ReadonlySet<number> = new Set([13, 16]);

/** The error class for a platform code; any other code is the base class. */
export function errorClassOf(code: string): CodedErrorClass {
  return CLASS_BY_NUMBER.get(codeNumber(code)) ?? PlatformError;
}

/** Whether a code reports a condition that goes away on its own. */
export function isTransientCode(code: string): boolean {
  return TRANSIENT_NUMBERS.has(codeNumber(code));
}

/** The number in `ERR<digits>`, regardless of padding; NaN for any other text. */
function codeNumber(code: string): number {
  return Number(/^ERR(\d{1,6})$/i.exec(code)?.[1] ?? NaN);
}
