import { type PlatformClientOptions } from '../connection/client-options.js';

/** Options of a session that brings its own connection. */
export type PlatformSessionOptions = Omit<PlatformClientOptions, 'baseUrl'>;

/** How a snapshot is restored. */
export interface RestoreOptions {
  /** Take a snapshot of another base URL, and that URL with it. Default false: it is refused. */
  acceptOtherBaseUrl?: boolean;
}
