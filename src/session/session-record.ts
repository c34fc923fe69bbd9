import { type SessionSnapshot } from '../client/index.js';

/** How the caller carries the handle; a handle of one kind is refused as the other. */
export type HandleTransport = 'cookie' | 'bearer';

/** What is sealed in the store: all that one session is. */
export interface SessionRecord {
  readonly transport: HandleTransport;
  readonly snapshot: SessionSnapshot;
}
