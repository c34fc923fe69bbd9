/** What is known of a failed platform call. Every field is safe to log: no credential, header or body text. */
export interface PlatformErrorFacts {
  /** The platform's code as it stood on the wire (`ERR003`, `ERR014`); `N/A` when there is none. */
  code?: string | undefined;
  /** The back-end server's code, present only when the payload carried one. */
  iserverCode?: string | undefined;
  /** What `iserverCode` means, when it is known. */
  iserverMessage?: string | undefined;
  /** The platform's ticket, for its support. */
  ticketId?: string | undefined;
  /** HTTP status of the answer; absent when there was no answer. */
  status?: number | undefined;
  /** Whether the same call may succeed later without any change. Default false. */
  retryable?: boolean | undefined;
  /** Seconds that the platform asked to wait (`Retry-After`). */
  retryAfterSeconds?: number | undefined;
}

/**
 * A failed platform call; every error that the client throws by itself is a kind of this one.
 * As such it stands for any platform code that has no kind of its own (spec: Errors).
 */
export class PlatformError extends Error {
  /** The platform's code as it stood on the wire (`ERR003`, `ERR014`), or `N/A`. Codes compare by number, not by text. */
  readonly code: string;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** The back-end server's code, as decimal text. */
  declare readonly iserverCode?: string;
  /** What the back-end code means, and its constant name. */
  declare readonly iserverMessage?: string;
  /** The platform's ticket, for its support. */
  declare readonly ticketId?: string;
  /** HTTP status of the answer. */
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

  /** Name of the kind. */
  override get name(): string {
    return this.constructor.name;
  }

  /** What `JSON.stringify` shows: name and message, which errors leave out, and all facts. No stack. */
  toJSON(): Record<string, unknown> {
    const { name, message } = this;
    return Object.assign({ name, message }, this as object);
  }
}
