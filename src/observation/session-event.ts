/** What can happen to a session, or to an attempt to begin one. */
export type SessionEventKind =
  | 'login'
  | 'delegate'
  /** A login by a credential profile, with the profile's key. */
  | 'profile_use'
  /** A session of a profile logs itself in again. */
  | 'relogin'
  /** A token was made by which another client joins the session. */
  | 'identity_token'
  | 'logout'
  /** The platform no longer knows a session. */
  | 'expiry'
  /** A handle was presented that opens nothing. */
  | 'refusal';

/** One such event. Who asked, and from where, is known of the request that is being served. */
export interface SessionEvent {
  readonly kind: SessionEventKind;
  /** The store key of the session, where there is one. */
  readonly storeKey?: string | undefined;
  /** The account as the caller gave it. */
  readonly account?: string | undefined;
  /** Whether the account logs in by its name alone: then the name is a credential, and is never written as it is. */
  readonly isCredential?: boolean | undefined;
  /** The name of the credential profile, as the caller gave it. */
  readonly profile?: string | undefined;
  /** What it failed by; undefined for what went well. */
  readonly error?: unknown;
}
