import { type PlatformSession } from 'portico/client';
import { type HandleTransport, type ServiceLogin } from './session-record.js';

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

/** An open session. All requests of this process with its handle share it, so all of them see a renewed token at once. */
export interface OpenSession {
  readonly handle: string;
  readonly key: string;
  readonly transport: HandleTransport;
  readonly session: PlatformSession;
  /** Milliseconds since the epoch: the absolute end of the handle. */
  expiresAt: number;
  /** Milliseconds since the epoch, by the clock of the instance where it began; undefined for a record of an earlier version. */
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
