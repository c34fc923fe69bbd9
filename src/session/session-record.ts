import { type SessionSnapshot } from '../client/index.js';
import { type PeekedSession } from './store/session-store.js';

/** How the caller carries the handle; a handle of one kind is refused as the other. */
export type HandleTransport = 'cookie' | 'bearer';

/** What lets a session log itself in again: it was opened by a credential profile. A user's own session has none. */
export interface ServiceLogin {
  readonly profile: string;
  /** Counts the logins of this session, from 1: a record with more of them has the newer platform session. */
  readonly logins: number;
}

/** What is known of a session without the platform. Times are in milliseconds of the epoch. */
export interface KnownSession extends Pick<PeekedSession, 'expiresAt' | 'idleExpiresAt' | 'platformUse'> {
  readonly transport: HandleTransport;
  /** Undefined for a session of an earlier version. */
  readonly startedAt: number | undefined;
  /** The credential profile that opened it. */
  readonly profile: string | undefined;
}

/** What is sealed in the store: all that one session is. */
export interface SessionRecord {
  readonly transport: HandleTransport;
  readonly snapshot: SessionSnapshot;
  readonly service?: ServiceLogin | undefined;
  /** Milliseconds of the epoch; records of earlier versions have none. */
  readonly startedAt?: number | undefined;
}
