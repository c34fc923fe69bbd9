import { type SessionSettings } from '../../config/settings/session.js';

/** A sealed record as the store holds it. */
export interface StoredSession {
  readonly sealed: string;
  /** Counts the writes, from 1; a write names the version that it read. */
  readonly version: number;
  /** Milliseconds of the epoch, by the store's clock: the absolute end. */
  readonly expiresAt: number;
}

/** A stored session, with the times of it that change. */
export interface PeekedSession extends StoredSession {
  /** Milliseconds of the epoch, by the store's clock: the end unless the session is used before. */
  readonly idleExpiresAt: number;
  /** Undefined until the platform has told its time-out. */
  readonly platformUse: PlatformUse | undefined;
}

/** The last call that prolonged the platform session, and for how long. */
export interface PlatformUse {
  /** Milliseconds of the epoch, by the clock of the instance that made the call. */
  readonly at: number;
  /** Idle milliseconds after which the platform ends the session. */
  readonly timeoutMs: number;
}

/** How long a session lives, by the store's clock. */
export interface SessionLife {
  readonly idleSeconds: number;
  readonly maxSeconds: number;
}

/** The session life that the settings ask for. */
export function sessionLife(
  settings: Pick<SessionSettings, 'SESSION_IDLE_SECONDS' | 'SESSION_MAX_SECONDS'>,
): SessionLife {
  return { idleSeconds: settings.SESSION_IDLE_SECONDS, maxSeconds: settings.SESSION_MAX_SECONDS };
}

/** A prolonged idle time is written only when this part of it has gone by: reads stay reads. */
export const TOUCH_AFTER = 0.1;

/** Whose a lease is: the asker's; another's; nobody's, since what it was for has just been done. */
export type LeaseState = 'taken' | 'held' | 'settled';

/**
 * Keeps sealed records. The store's clock decides on both ends of a session, and a clock that is set back leaves none with
 * more life than a new one has. Every write is conditional, so nothing that is late brings a session back.
 * Each method throws `SessionStoreUnavailableError` when the store cannot do its work.
 */
export interface SessionStore {
  /** Whether other instances may have the same sessions. */
  readonly isShared?: boolean;
  /** Stores version 1 under a key that must be new; gives the absolute end in milliseconds of the epoch. */
  create(key: string, sealed: string): Promise<number>;
  /** The live session, whose idle time starts again; undefined where there is none or it has expired. */
  read(key: string): Promise<StoredSession | undefined>;
  /** As `read`, but the idle time goes on: nothing is written. */
  peek(key: string): Promise<PeekedSession | undefined>;
  /**
   * Notes a call that prolonged the platform session; one that is older than the noted one changes nothing but the time-out.
   * Never fails: what is noted may be forgotten, since no session depends on it.
   *
   * @param at milliseconds of the epoch.
   * @param timeoutMs without it that of an earlier note holds, and where there is none, nothing is noted.
   */
  noteUse(key: string, at: number, timeoutMs?: number): void;
  /** Stores the next version if `version` is still the current one; tells whether it was. */
  replace(key: string, version: number, sealed: string): Promise<boolean>;
  /** Ends the session, or with `version` only while that is the current one; tells whether it was there. */
  remove(key: string, version?: number): Promise<boolean>;
  /**
   * Takes the lease of a session for so many milliseconds, or keeps it so much longer for who has it, so that one holder
   * at a time does what many ask for. A holder whose lease has ended by itself may find it another's.
   */
  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState>;
  /**
   * Gives a lease back: what it was for is done, and counts as done for so many milliseconds; with 0 it is not done.
   * Tells whether the lease was still the holder's.
   */
  settle(key: string, holder: string, milliseconds: number): Promise<boolean>;
  /** Resolves when the store can take a write. */
  ping(): Promise<void>;
  /** The live sessions; undefined where the store cannot tell without looking at all it has. */
  count(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A platform session that may be idle for longer ends for other reasons. */
const MOST_TIMEOUT_SECONDS = 365 * 24 * 3600;

/** The idle milliseconds of a platform session; undefined where the platform has told no seconds that could be. */
export function timeoutMs(seconds: number | null | undefined): number | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MOST_TIMEOUT_SECONDS)) return undefined;
  return Math.round(seconds * 1000);
}

/** The injection token of the {@link SessionStore}. */
export const SessionStore = Symbol('SessionStore');
