import { type PlatformSession } from '../client/index.js';
import { type HandleTransport, type ServiceLogin } from './session-record.js';

/** What is stored of a session: one version of it. */
export interface StoredVersion {
  readonly version: number;
  /** The sealed record. */
  readonly sealed: string;
  /** The snapshot in it, as JSON. */
  readonly saved: string;
  /** `revision` of the platform session that the snapshot was taken at. */
  readonly revision: number;
}

/** An open session. All requests of this process that bring its handle share it, so a renewed token is seen by all at once. */
export interface OpenSession {
  readonly handle: string;
  readonly key: string;
  readonly transport: HandleTransport;
  readonly session: PlatformSession;
  /** Milliseconds of the epoch: the absolute end of the handle. */
  expiresAt: number;
  /** Milliseconds of the epoch, by the clock of the instance where it began; undefined for a record of an earlier version. */
  readonly startedAt: number | undefined;
  /** Present when a credential profile opened the session. */
  service: ServiceLogin | undefined;
  /** The version that is known to be in the store. */
  stored: StoredVersion;
  /** A write that the store has not confirmed: it may have been done. */
  unconfirmed: StoredVersion | undefined;
  /** Writes of a session go one after the other. Never rejects. */
  writing: Promise<void>;
  /** Whether the session was found to be gone. */
  hasEnded: boolean;
}
