import { type SessionSnapshot } from 'portico/client';
import { type PeekedSession } from './store/session-store.js';

/** How the caller sends the handle. A handle is accepted only by the transport that it was issued for. */
export type HandleTransport = 'cookie' | 'bearer';

/** What a session needs to log in again. Only a session that a credential profile opened has it. */
export interface ServiceLogin {
  readonly profile: string;
  /** Counts the logins of this session, from 1. The record with the higher count has the newer platform session. */
  readonly logins: number;
}

/** How a session is begun. */
export interface Beginning {
  readonly transport: HandleTransport;
  /** A hash of who logged in, the same for all sessions of one account; undefined for a guest and a delegated session. */
  readonly account?: string | undefined;
  /** The credential profile that opened it and can log it in again. */
  readonly profile?: string | undefined;
}

/** What is known about a session without asking the platform. Times are in milliseconds since the epoch. */
export interface KnownSession extends Pick<PeekedSession, 'expiresAt' | 'idleExpiresAt' | 'platformUse'> {
  readonly transport: HandleTransport;
  /** Undefined for a session from an earlier version. */
  readonly startedAt: number | undefined;
  /** The credential profile that opened it. */
  readonly profile: string | undefined;
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
