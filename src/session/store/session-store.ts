import { type SessionSettings } from '../../config/session-settings.js';

/** A sealed record as the store holds it. */
export interface StoredRecord {
  readonly sealed: string;
  /** Counts the writes, from 1; a write names the version that it read. */
  readonly version: number;
  /** The absolute end: milliseconds since the epoch, by the store's clock. */
  readonly expiresAt: number;
}

/** A stored session, with those of its times that change. */
export interface PeekedRecord extends StoredRecord {
  /** Milliseconds since the epoch, by the store's clock: the end, unless the session is used before then. */
  readonly idleExpiresAt: number;
  /** Undefined until the platform has reported its timeout. */
  readonly platformUse: PlatformUse | undefined;
}

/** The last call that extended the platform session, and for how long. */
export interface PlatformUse {
  /** Milliseconds since the epoch, by the store's clock. */
  readonly at: number;
  /** Idle milliseconds after which the platform ends the session. */
  readonly timeoutMs: number;
}

/** A live session, as it is listed. */
export interface ListedRecord {
  readonly key: string;
  readonly sealed: string;
  /** Milliseconds since the epoch, by the store's clock; up to {@link TOUCH_AFTER} of the idle time too early. */
  readonly lastUsedAt: number;
  readonly idleExpiresAt: number;
  readonly expiresAt: number;
}

/** Why a session was ended by another than its caller. */
export type EndingCause =
  /** By an operator's command. */
  | 'operator'
  /** The account began more sessions than `SESSIONS_MAX_PER_ACCOUNT`. */
  | 'account_limit'
  /** Another session of the account logged out everywhere. */
  | 'everywhere';

/** A session that was ended by {@link SessionStore.end}. */
export interface Ending {
  readonly key: string;
  readonly cause: EndingCause;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly at: number;
}

/** How long {@link SessionStore.endings} still tells of an ending, in milliseconds. */
export const ENDINGS_KEPT_MS = 600_000;

/** How long a session lives, by the store's clock. */
export interface SessionLife {
  readonly idleSeconds: number;
  readonly maxSeconds: number;
}

/** The session life from the settings. */
export function sessionLife(
  settings: Pick<SessionSettings, 'SESSION_IDLE_SECONDS' | 'SESSION_MAX_SECONDS'>,
): SessionLife {
  return { idleSeconds: settings.SESSION_IDLE_SECONDS, maxSeconds: settings.SESSION_MAX_SECONDS };
}

/** An extended idle time is written only after this fraction of it has passed, so that most reads write nothing. */
export const TOUCH_AFTER = 0.1;

/**
 * The lease is the caller's (`taken`), another's (`held`), or no one's because the work has just been done
 * (`settled`).
 */
export type LeaseState = 'taken' | 'held' | 'settled';

/**
 * Keeps sealed records. The store's clock decides both ends of a session. If that clock is set back, no session
 * lives longer than a new one. Every write is conditional, so a late write never brings a session back. Each method
 * throws `ServiceError` `SESSION_STORE_UNAVAILABLE` when the store cannot do its work.
 */
export interface SessionStore {
  /** Whether other instances may have the same sessions. */
  readonly isShared?: boolean;
  /**
   * Stores version 1 under a key that must be new. Returns the absolute end in milliseconds since the epoch.
   *
   * @param account a hash of who logged in, under which the session can be found.
   */
  create(key: string, sealed: string, account?: string): Promise<number>;
  /** The live session, and restarts its idle time; undefined if there is none or it has expired. */
  read(key: string): Promise<StoredRecord | undefined>;
  /** Like `read`, but does not restart the idle time: nothing is written. */
  peek(key: string): Promise<PeekedRecord | undefined>;
  /**
   * Notes a call that extended the platform session. A call older than the noted one changes nothing but the
   * timeout. Never fails: what is noted may be forgotten, since no session depends on it.
   *
   * @param at milliseconds since the epoch.
   * @param timeoutMs if absent, the timeout of an earlier note is used; if there is no earlier note, nothing is
   *   noted.
   */
  noteUse(key: string, at: number, timeoutMs?: number): void;
  /** Stores the next version if `version` is still the current one. Returns whether it was. */
  replace(key: string, version: number, sealed: string): Promise<boolean>;
  /** Removes the session; with `version`, only if that is the current one. Returns whether it was removed. */
  remove(key: string, version?: number): Promise<boolean>;
  /** Removes a session, and tells every instance that it was ended. Resolves with whether it was there. */
  end(key: string, cause: EndingCause): Promise<boolean>;
  /** The sessions that were ended at or after a time, by any instance or operator; at most 1,000, the first ones. */
  endings(since: number): Promise<readonly Ending[]>;
  /** The keys of sessions of an account, the oldest first, at most 1,000. Some may have ended. */
  ofAccount(account: string): Promise<readonly string[]>;
  /** A session is no longer one of an account's. Never fails. */
  leaveAccount(account: string, key: string): void;
  /** A live session, as it is listed; undefined if there is none. */
  summary(key: string): Promise<ListedRecord | undefined>;
  /** All live sessions, in batches and in no order. What begins or ends meanwhile may be missing. */
  list(): AsyncIterable<readonly ListedRecord[]>;
  /**
   * Takes the lease of a session for a number of milliseconds, or extends it for its holder, so that one holder at
   * a time does what many request. A lease that has run out may be taken by another holder.
   */
  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState>;
  /**
   * Returns a lease after the work is done. The work counts as done for a number of milliseconds; 0 means that it
   * was not done. Resolves with whether the lease was still the holder's.
   */
  settle(key: string, holder: string, milliseconds: number): Promise<boolean>;
  /** The time by the store's clock, in milliseconds since the epoch. */
  now(): number;
  /** Resolves when the store can take a write. */
  ping(): Promise<void>;
  /** Resolves when sessions can be read, even if the store takes no writes. */
  reach(): Promise<void>;
  /** How many sessions are live; undefined if the store would have to scan everything to know. */
  count(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A platform session that may be idle for longer ends for other reasons. */
const MOST_TIMEOUT_SECONDS = 365 * 24 * 3600;

/**
 * The idle milliseconds of a platform session; undefined if the platform has not stated a plausible number of
 * seconds.
 */
export function timeoutMs(seconds: number | null | undefined): number | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MOST_TIMEOUT_SECONDS)) return undefined;
  return Math.round(seconds * 1000);
}

/** The injection token of the {@link SessionStore}. */
export const SessionStore = Symbol('SessionStore');
