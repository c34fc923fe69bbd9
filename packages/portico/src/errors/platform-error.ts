/**
 * What went wrong, as a stable name to branch on. It never changes with the wording of a message, and it is known
 * even if the platform sent no code.
 * @example
 * const passing: PlatformErrorKind[] = ['timeout', 'queue-timeout', 'unreachable'];
 */
export type PlatformErrorKind =
  | 'login-failed'
  | SessionErrorKind
  | 'insufficient-privileges'
  | 'not-found'
  | 'invalid-request'
  | 'already-exists'
  | 'backend'
  | 'platform'
  | 'unknown'
  | 'cancelled'
  | 'unreachable'
  | 'client-closed'
  | 'timeout'
  | 'queue-timeout'
  | 'protocol'
  | 'too-many-redirects'
  | 'foreign-redirect'
  | 'missing-credential'
  | 'ambiguous-name';

/**
 * Why there is no usable session. `session-expired`: the platform said `ERR009`. `no-session`: no token is held, or
 * the projects were not loaded; no request was made. `session-replaced`: the session was ended, restored or replaced
 * during the call. `session-closed`: the session object was closed. `invalid-snapshot`: a snapshot cannot be
 * restored.
 * @example
 * const kind: SessionErrorKind = new SessionError('Log in first.').kind;
 * console.log(kind); // no-session
 */
export type SessionErrorKind =
  'session-expired' | 'no-session' | 'session-replaced' | 'session-closed' | 'invalid-snapshot';

/**
 * Why the platform could not be reached.
 * @example
 * const reason: UnreachableReason = new PlatformUnreachableError('No answer.', 'DNS').reason;
 */
export type UnreachableReason = 'CONNECT' | 'DNS' | 'TLS' | 'CIRCUIT_OPEN';

/**
 * Facts about a failed platform call. Every field is safe to log: no credential, header or body text.
 * @example
 * const facts: PlatformErrorFacts = { code: 'ERR004', status: 404 };
 * console.log(new ResourceNotFoundError('No such report.', facts).code); // ERR004
 */
export interface PlatformErrorFacts {
  /** The platform's code exactly as sent (`ERR003`, `ERR014`); absent when it sent none. */
  code?: string | undefined;
  /** The back-end server's code, present only when the payload carried one. */
  iserverCode?: string | undefined;
  /** What `iserverCode` means, when known. */
  iserverMessage?: string | undefined;
  /** The platform's ticket, for its support team. */
  ticketId?: string | undefined;
  /** HTTP status of the response; absent when there was no response. */
  status?: number | undefined;
  /** Host and port of a redirect that was not followed. */
  redirectHost?: string | undefined;
  /**
   * Name of a header that looks like the token of another vendor, when a login returned no token of the configured
   * one.
   */
  tokenHeader?: string | undefined;
  /** Whether the same call may succeed later without any change. Default false. */
  retryable?: boolean | undefined;
  /** Seconds that the platform asked to wait (`Retry-After`). */
  retryAfterSeconds?: number | undefined;
  /** For `ERR003`: whether the session was rejected, and not the credentials of a login. */
  concernsSession?: boolean | undefined;
  /** For an expired session: whether the request lacked a cookie that the platform had set. */
  cookiesWithheld?: boolean | undefined;
  /** Further fields of the error payload, with secrets redacted and texts shortened. */
  details?: Readonly<Record<string, unknown>> | undefined;
  /** What the caller's own code threw, or the reason of the caller's own signal. Never a library's error. */
  cause?: unknown;
}

/** The same in every copy of this package that a program may have loaded. */
const BRAND = Symbol.for('portico.PlatformError');

/**
 * A failed platform call. Every error that the client throws is an instance of this class. The class itself stands
 * for any platform code without a class of its own (spec: Errors).
 * @example
 * const error: unknown = await session.request('GET', 'unknown').catch((failure: unknown) => failure);
 * console.log(error instanceof PlatformError, (error as PlatformError).kind); // true not-found
 */
export class PlatformError extends Error {
  /** What went wrong, as a stable name. Branch on this rather than on `code` or `message`. */
  readonly kind: PlatformErrorKind = 'platform';
  /** The platform's code exactly as sent (`ERR003`, `ERR014`), or `N/A`. Compare codes by number, not by text. */
  readonly code: string;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** The back-end server's code, as decimal text. */
  declare readonly iserverCode?: string;
  /** What the back-end code means, and its constant name. */
  declare readonly iserverMessage?: string;
  /** The platform's ticket, for its support team. */
  declare readonly ticketId?: string;
  /** Host and port of a redirect that was not followed. */
  declare readonly redirectHost?: string;
  /** Header that looks like the token of another vendor. */
  declare readonly tokenHeader?: string;
  /** HTTP status of the response. */
  declare readonly status?: number;
  /** Seconds that the platform asked to wait. */
  declare readonly retryAfterSeconds?: number;
  /**
   * Fields of the error payload besides code, message and ticket, with secrets redacted and texts shortened. They may
   * quote what the call asked for, so they are not enumerable: no log or `JSON.stringify` writes them.
   */
  declare readonly details?: Readonly<Record<string, unknown>>;

  /**
   * @param message what happened, in words that are safe to log
   * @param facts what is known of the failed call
   */
  constructor(message: string, facts: PlatformErrorFacts = {}) {
    const { code, retryable, details, cause, ...optional } = facts;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code ?? 'N/A';
    this.retryable = retryable ?? false;
    const known = Object.entries<unknown>(optional).filter(([, value]) => value !== undefined);
    Object.assign(this, Object.fromEntries(known));
    if (details !== undefined) Object.defineProperty(this, 'details', { value: details });
  }

  /** Name of the class. It is written out in each class, because minifiers rename classes. */
  override get name(): string {
    return 'PlatformError';
  }

  /** By this, `isPlatformError` knows the errors of every copy of this package. */
  // Not a field, which inspection would show.
  // eslint-disable-next-line @typescript-eslint/class-literal-property-style
  get [BRAND](): true {
    return true;
  }

  /** What `JSON.stringify` writes: name and message, which plain errors omit, and all facts. No stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return Object.assign({ name, message }, this as object);
  }
}

/** Whether a value is a `PlatformError`, of this copy of the package or of another one in the same program. */
export function isBranded(value: unknown): value is PlatformError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}
