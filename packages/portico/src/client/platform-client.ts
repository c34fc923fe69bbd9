import { inspect } from 'node:util';
import { AuthenticatedPlatformSession, type ManagedSessionOptions } from './authenticated-session.js';
import { type PlatformClientOptions } from './connection/client-options.js';
import { PlatformConnection } from './connection/platform-connection.js';
import { PlatformSession } from './session/platform-session.js';
import { SessionCore } from './session/session-core.js';
import { type RestoreOptions } from './session/session-restore.js';
import { type RestorableSnapshot } from './session/session-snapshot.js';

/**
 * The connection to one platform: base URL, TLS, limits and sockets. Create one per process; any number of sessions
 * share it.
 * @example
 * await using client = new PlatformClient({ baseUrl });
 * const session = client.openSession();
 * await session.login({ username: 'demo', password: 'demo' });
 * console.log(session.hasSession()); // true
 */
export class PlatformClient {
  readonly #connection: PlatformConnection;

  /**
   * @param options the platform, and how it is reached
   * @throws TypeError that names the unusable option
   */
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
   * A managed session on this client: logged in when it is opened, or continued from a snapshot, and logged out when
   * it is closed or disposed of.
   * @param options who logs in, and what is done when the session expires and when it is closed
   * @throws MissingCredentialError when a given credential resolves to nothing; no request was made
   * @throws SessionError when the snapshot cannot be restored
   * @throws PlatformError when the login fails
   */
  openManagedSession(options: ManagedSessionOptions = {}): Promise<AuthenticatedPlatformSession> {
    return AuthenticatedPlatformSession.open({ ...options, client: this });
  }

  /**
   * A session with the state of a snapshot (spec: from_dict).
   * @param snapshot what `toDict` or `json` returned
   * @param options which snapshots are accepted
   * @throws SessionError when it lacks a key, is not JSON, names another base URL, or cannot be restored
   */
  restoreSession(snapshot: RestorableSnapshot | string, options: RestoreOptions = {}): PlatformSession {
    const session = this.openSession();
    session.updateFromJson(snapshot, options);
    return session;
  }

  /**
   * Closes the sockets. Calls in flight and later calls fail with `ClientClosedError` and are not retried. Never
   * rejects.
   */
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
