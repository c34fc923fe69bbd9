/**
 * What went wrong, as a stable name to branch on. It never changes with the wording of a message, and it is known
 * even if the platform sent no code.
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
  | 'timeout'
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
 */
export type SessionErrorKind =
  'session-expired' | 'no-session' | 'session-replaced' | 'session-closed' | 'invalid-snapshot';

/** Facts about a failed platform call. Every field is safe to log: no credential, header or body text. */
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
}

/**
 * A failed platform call. Every error that the client throws is an instance of this class. The class itself stands
 * for any platform code without a class of its own (spec: Errors).
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

  constructor(message: string, facts: PlatformErrorFacts = {}) {
    super(message);
    const { code, retryable, ...optional } = facts;
    this.code = code ?? 'N/A';
    this.retryable = retryable ?? false;
    const known = Object.entries<unknown>(optional).filter(([, value]) => value !== undefined);
    Object.assign(this, Object.fromEntries(known));
  }

  /** Name of the class. */
  override get name(): string {
    return this.constructor.name;
  }

  /** What `JSON.stringify` writes: name and message, which plain errors omit, and all facts. No stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return Object.assign({ name, message }, this as object);
  }
}
