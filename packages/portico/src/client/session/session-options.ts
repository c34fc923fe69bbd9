import { type PlatformClientOptions } from '../connection/client-options.js';

/** Options of a session with its own connection. */
export type PlatformSessionOptions = Omit<PlatformClientOptions, 'baseUrl'>;

/** Options for restoring a snapshot. */
export interface RestoreOptions {
  /** Accept a snapshot of another base URL, and use that URL from then on. Default false: such a snapshot is rejected. */
  acceptOtherBaseUrl?: boolean;
  /**
   * The snapshot is a later state of the session that is held, as another process saw it: answers in flight still count. Default
   * false: it is another session, which they must not change.
   */
  isSameSession?: boolean;
}
