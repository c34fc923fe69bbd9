import { type PlatformSession, type SessionSnapshot } from 'portico/client';
import { type HandleTransport } from './handle.js';

/** How a session begins. */
export interface Beginning {
  readonly transport: HandleTransport;
  /**
   * A hash of who logged in, the same for all sessions of one account; undefined for a guest and a delegated
   * session.
   */
  readonly account?: string | undefined;
  /** The credential profile that opened it and can log it in again. */
  readonly profile?: string | undefined;
}

/** What a session needs to log in again. Only a session that a credential profile opened has it. */
export interface ServiceLogin {
  readonly profile: string;
  /** Counts the logins of this session, from 1. The record with the higher count has the newer platform session. */
  readonly logins: number;
}

/** One whole session, as it is sealed in the store. */
export interface SessionRecord {
  readonly transport: HandleTransport;
  readonly snapshot: SessionSnapshot;
  readonly service?: ServiceLogin | undefined;
  /** A hash of who logged in; absent for guests, delegated sessions, and records from earlier versions. */
  readonly account?: string | undefined;
  /** Milliseconds since the epoch; records from earlier versions have none. */
  readonly startedAt?: number | undefined;
}

/** One stored version of a session. */
export interface StoredVersion {
  readonly version: number;
  /** The sealed record. */
  readonly sealed: string;
  /** The snapshot that the record contains, as JSON. */
  readonly saved: string;
  /** The `revision` of the platform session when the snapshot was taken. */
  readonly revision: number;
}

/**
 * An open session. All requests of this process with its handle share it, so all of them see a renewed token
 * immediately. Times are in milliseconds since the epoch.
 */
export interface OpenSession {
  readonly handle: string;
  readonly key: string;
  readonly transport: HandleTransport;
  readonly session: PlatformSession;
  /** The absolute end of the handle. */
  expiresAt: number;
  /** By the clock of the instance where it began; undefined for a record of an earlier version. */
  readonly startedAt: number | undefined;
  /** A hash of who logged in; undefined for guests, delegated sessions, and records of an earlier version. */
  readonly account: string | undefined;
  /** Present when a credential profile opened the session. */
  service: ServiceLogin | undefined;
  /** The version that is known to be stored. */
  stored: StoredVersion;
  /** A write that the store has not confirmed. It may or may not have been done. */
  unconfirmed: StoredVersion | undefined;
  /** The last write of the session: writes run one after another. Never rejects. */
  writing: Promise<void>;
  /** Whether the session was found to be gone. */
  hasEnded: boolean;
}
