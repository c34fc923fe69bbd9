import { inspect } from 'node:util';
import { type RestoreOptions } from './session-restore.js';
import { redacted, type RestorableSnapshot, type SessionSnapshot } from './session-snapshot.js';
import { type SessionCore } from './session-core.js';

/** What every session has besides its requests: its state, which can be read, stored, restored and discarded. */
export class HeldSession {
  readonly #core: SessionCore;

  /** @internal */
  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** @internal */
  static coreOf(session: HeldSession): SessionCore {
    return session.#core;
  }

  /** REST root of the session, with its final `/`. */
  get baseUrl(): string {
    return this.#core.baseUrl.href;
  }

  /** How many cookies of the current session were rejected: foreign, malformed, over a limit, or never to be sent. */
  get droppedCookies(): number {
    return this.#core.state.cookies.dropped;
  }

  /** Whether a token is held; no request is made. */
  hasSession(): boolean {
    return this.#core.state.token !== undefined;
  }

  /**
   * Discards the token, if there is one, and its cookies; no request is made. Responses and logins in flight do not
   * bring them back.
   */
  destroyAuthToken(): void {
    this.#core.state.dropToken();
  }

  /** The state as plain data, for storage. Protect it like a password; see `SessionSnapshot`. */
  toDict(): SessionSnapshot {
    return redacted(this.#core.snapshot());
  }

  /** Earlier name of `toDict`. */
  dict(): SessionSnapshot {
    return this.toDict();
  }

  /** The state as JSON text; equal states give equal texts. */
  json(): string {
    return JSON.stringify(this.#core.snapshot());
  }

  /**
   * Changes whenever an answer, a login or a restore may have changed what `json()` returns. While it stays the same,
   * `json()` differs at most by cookies that have expired.
   */
  get revision(): number {
    return this.#core.state.revision;
  }

  /**
   * Replaces the state with that of a snapshot, completely or not at all (spec: update_from_json).
   * @param snapshot what `toDict` or `json` returned
   * @param options which snapshots are accepted
   * @throws SessionError when it lacks a key, is not JSON, names another base URL, or cannot be restored
   */
  updateFromJson(snapshot: RestorableSnapshot | string, options: RestoreOptions = {}): void {
    this.#core.restore(snapshot, options);
  }

  /**
   * Closes this object without a logout: later calls are refused, and no login in flight starts a session. A session
   * with a connection of its own closes its sockets, and calls in flight fail. Never rejects.
   */
  async close(): Promise<void> {
    await this.#core.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What `JSON.stringify` and inspection show. */
  toJSON(): { baseUrl: string; hasSession: boolean } {
    return { baseUrl: this.baseUrl, hasSession: this.hasSession() };
  }

  [inspect.custom](): string {
    return `${this.constructor.name} ${inspect(this.toJSON())}`;
  }
}
