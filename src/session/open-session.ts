import { type PlatformSession } from '../client/index.js';
import { type HandleTransport, type ServiceLogin } from './session-record.js';

/** A session that one request has loaded or begun. */
export interface OpenSession {
  readonly handle: string;
  readonly key: string;
  readonly transport: HandleTransport;
  readonly session: PlatformSession;
  /** Milliseconds of the epoch: the absolute end of the handle. */
  readonly expiresAt: number;
  /** Present when a credential profile opened the session. */
  service: ServiceLogin | undefined;
  /** The version that is known to be in the store. */
  version: number;
  /** The snapshot that is known to be in the store, as JSON. */
  saved: string;
  /** Writes of one request go one after the other. */
  writing: Promise<void>;
}
