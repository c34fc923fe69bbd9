/** What can happen to a session, or to an attempt to start one. */
export type SessionEventKind =
  | 'login'
  | 'delegate'
  /** A login by a credential profile, with the profile's key. */
  | 'profile_use'
  /** A session of a profile is logged in again. */
  | 'relogin'
  /** A token was created with which another client can join the session. */
  | 'identity_token'
  | 'logout'
  /** The platform no longer knows a session. */
  | 'expiry'
  /** A handle was sent that opens no session. */
  | 'refusal';

/** A session that has just begun here, or was found under the handle of a request. */
export interface FoundSession {
  readonly storeKey: string;
  /**
   * A hash of who logged in, the same for all sessions of one account; undefined for a guest and a delegated session.
   */
  readonly account: string | undefined;
}

/** One such event. The caller and the address are those of the current request. */
export interface SessionEvent {
  readonly kind: SessionEventKind;
  /** The store key of the session, if there is one. */
  readonly storeKey?: string | undefined;
  /** The account as the caller gave it. */
  readonly account?: string | undefined;
  /** Whether the account logs in by its name alone. The name is a credential then, and is never written as it is. */
  readonly isCredential?: boolean | undefined;
  /** The name of the credential profile, as the caller gave it. */
  readonly profile?: string | undefined;
  /** The error, if it failed. */
  readonly error?: unknown;
}

/** How the answer of the API identifies an error. */
export interface ErrorFacts {
  /** A code of docs/errors.md. */
  readonly code: string;
  /** A reason of docs/errors.md. */
  readonly reason?: string | undefined;
  /** The platform's own code, as it wrote it. */
  readonly platformCode?: string | undefined;
  /** The platform's ticket, for its operator. */
  readonly ticketId?: string | undefined;
}

/** `refused`: the service itself refused, without calling the platform. `failure`: it was tried. */
export type Outcome = 'success' | 'failure' | 'refused';

const REFUSING: ReadonlySet<string> = new Set(['RATE_LIMITED', 'OVERLOADED', 'FORBIDDEN']);

/**
 * The outcome of an event. A session that the platform has dropped is not a failure. What the platform refused was
 * tried, so it is one.
 */
export function eventOutcome(kind: SessionEventKind, failure: ErrorFacts | undefined): Outcome {
  if (kind === 'refusal') return 'refused';
  if (failure === undefined || kind === 'expiry') return 'success';
  return failure.platformCode === undefined && REFUSING.has(failure.code) ? 'refused' : 'failure';
}
