/** A sealed record as the store holds it. */
export interface StoredSession {
  readonly sealed: string;
  /** Counts the writes, from 1; a write names the version that it read. */
  readonly version: number;
  /** Milliseconds of the epoch, by the store's clock: the absolute end. */
  readonly expiresAt: number;
}

/** How long a session lives, by the store's clock. */
export interface SessionLife {
  readonly idleSeconds: number;
  readonly maxSeconds: number;
}

/**
 * Keeps sealed records. Every write is conditional, so nothing that is late brings a session back.
 * Each method throws {@link SessionStoreUnavailableError} when the store cannot do its work.
 */
export interface SessionStore {
  /** Stores version 1 under a key that must be new; gives the absolute end in milliseconds of the epoch. */
  create(key: string, sealed: string): Promise<number>;
  /** The live session, whose idle time starts again; undefined where there is none or it has expired. */
  read(key: string): Promise<StoredSession | undefined>;
  /** Stores the next version if `version` is still the current one; tells whether it was. */
  replace(key: string, version: number, sealed: string): Promise<boolean>;
  /** Ends the session, or with `version` only while that is the current one; tells whether it was there. */
  remove(key: string, version?: number): Promise<boolean>;
  /** Resolves when the store can take a write. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The injection token of the {@link SessionStore}. */
export const SessionStore = Symbol('SessionStore');

/** The store cannot be reached or cannot write. Says nothing about any session. */
export class SessionStoreUnavailableError extends Error {
  override readonly name = 'SessionStoreUnavailableError';

  constructor(readonly reason: string) {
    super(`The session store is unavailable: ${reason}`);
  }
}
