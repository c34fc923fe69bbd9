import { inspect } from 'node:util';
import { type PlatformClientOptions } from './connection/client-options.js';
import { PlatformConnection } from './connection/platform-connection.js';
import { PlatformSession } from './session/platform-session.js';
import { SessionCore } from './session/session-core.js';
import { type RestoreOptions } from './session/session-restore.js';
import { type RestorableSnapshot } from './session/session-snapshot.js';

/**
 * The connection to one platform: base URL, TLS, limits and sockets. Create one per process; any number of sessions
 * share it.
 */
export class PlatformClient {
  readonly #connection: PlatformConnection;

  /** @throws TypeError that names the unusable option */
  constructor(options: PlatformClientOptions) {
    this.#connection = new PlatformConnection(options);
  }

  /** REST root, with its final `/`. */
  get baseUrl(): string {
    return this.#connection.settings.baseUrl.href;
  }

  /** A new session without a token. */
  openSession(): PlatformSession {
    return new PlatformSession(new SessionCore(this.#connection));
  }

  /**
   * A session with the state of a snapshot (spec: from_dict).
   * @throws SessionError when it lacks a key, is not JSON, names another base URL, or cannot be restored
   */
  restoreSession(snapshot: RestorableSnapshot | string, options: RestoreOptions = {}): PlatformSession {
    const session = this.openSession();
    session.updateFromJson(snapshot, options);
    return session;
  }

  /** Closes the sockets. Calls in flight and later calls fail with `PlatformUnreachableError` and are not retried. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  [inspect.custom](): string {
    return `PlatformClient { baseUrl: '${this.baseUrl}' }`;
  }
}
