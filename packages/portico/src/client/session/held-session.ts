import { inspect } from 'node:util';
import { type PlatformProject } from './payload-shapes.js';
import { LoadedProjects } from './projects.js';
import { type RestoreOptions } from './session-restore.js';
import { redacted, type RestorableSnapshot, type SessionSnapshot } from './session-snapshot.js';
import { type SessionCore } from './session-core.js';

/**
 * What every session has besides its requests: its state, which can be read, stored, restored and discarded, and the
 * projects that it has loaded.
 */
export class HeldSession {
  readonly #core: SessionCore;
  #loadedProjects: LoadedProjects | undefined;

  /** @internal */
  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** @internal */
  static coreOf(session: HeldSession): SessionCore {
    return session.#core;
  }

  /** @internal */
  static projectsOf(session: HeldSession): LoadedProjects {
    return session.#projects;
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
   * Id of the loaded project with a display name; undefined when there is none. Names are case-sensitive.
   * @param name display name
   * @throws SessionError before `loadProjects`
   * @throws AmbiguousProjectNameError when several projects have the name; it lists their ids
   */
  getProjectId(name: string): string | undefined {
    return this.#projects.index.idOf(name);
  }

  /**
   * The loaded project with an id; undefined when there is none.
   * @param id identifier
   * @throws SessionError before `loadProjects`
   */
  getProject(id: string): PlatformProject | undefined {
    return this.#projects.index.project(id);
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

  get #projects(): LoadedProjects {
    return (this.#loadedProjects ??= new LoadedProjects(this.#core.state));
  }
}
