import { type SessionSnapshot } from '../client/index.js';

/** How the caller carries the handle; a handle of one kind is refused as the other. */
export type HandleTransport = 'cookie' | 'bearer';

/** What lets a session log itself in again: it was opened by a credential profile. A user's own session has none. */
export interface ServiceLogin {
  readonly profile: string;
  /** Counts the logins of this session, from 1: a record with more of them has the newer platform session. */
  readonly logins: number;
}

/** What is sealed in the store: all that one session is. */
export interface SessionRecord {
  readonly transport: HandleTransport;
  readonly snapshot: SessionSnapshot;
  readonly service?: ServiceLogin | undefined;
}
