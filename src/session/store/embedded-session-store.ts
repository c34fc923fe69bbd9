import { type DatabaseSync, type StatementSync } from 'node:sqlite';
import { GroupCommit } from './group-commit.js';
import { LeaseTable } from './lease-table.js';
import { PlatformUseTable } from './platform-use-table.js';
import {
  type LeaseState,
  type PeekedSession,
  type SessionLife,
  type SessionStore,
  type StoredSession,
  TOUCH_AFTER,
} from './session-store.js';
import { openStoreFile, unavailable } from './store-database.js';

/** A sweep removes at most this many expired rows, and shortens at most this many that would live too long. */
const SWEEP_ROWS = 100;
/** A sweep that found less is not repeated for this long. */
const SWEEP_PAUSE_MS = 100;

/** Sessions in one durable file. A confirmed write is on disk. Only one process may use the file at a time. */
export class EmbeddedSessionStore implements SessionStore {
  readonly #database: DatabaseSync;
  readonly #statements: Record<
    'create' | 'read' | 'touch' | 'replace' | 'remove' | 'sweep' | 'shorten' | 'count',
    StatementSync
  >;
  readonly #idle: number;
  readonly #max: number;
  readonly #writes: GroupCommit;
  readonly #leases: LeaseTable;
  readonly #uses = new PlatformUseTable();
  readonly #now: () => number;
  /** When a sweep last found less than it may remove. */
  #sweptAt = Number.NaN;

  /**
   * @param path the file; it and its folders are created with access for their owner only.
   * @param now milliseconds since the epoch.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE when another process has the file open, or it is not a session file.
   * @throws StorePathError when the file cannot be created.
   */
  constructor(path: string, life: SessionLife, now: () => number = Date.now) {
    this.#now = now;
    this.#idle = life.idleSeconds * 1000;
    this.#max = life.maxSeconds * 1000;
    this.#leases = new LeaseTable(now);
    this.#database = openStoreFile(path);
    this.#writes = new GroupCommit(this.#database);
    const prepare = (sql: string): StatementSync => this.#database.prepare(sql);
    this.#statements = {
      create: prepare('INSERT INTO session VALUES (?, 1, ?, ?, ?)'),
      read: prepare(
        'SELECT version, sealed, idle_until, expires_at FROM session WHERE key = ? AND idle_until > ?2 AND expires_at > ?2',
      ),
      touch: prepare('UPDATE session SET idle_until = ?, expires_at = ? WHERE key = ? AND version = ?'),
      replace: prepare(
        'UPDATE session SET version = version + 1, sealed = ? WHERE key = ? AND version = ? AND idle_until > ?4 AND expires_at > ?4',
      ),
      remove: prepare('DELETE FROM session WHERE key = ? AND version = coalesce(?, version)'),
      shorten: prepare(
        'UPDATE session SET idle_until = ?1, expires_at = min(expires_at, ?2) WHERE key IN (SELECT key FROM session WHERE idle_until > ?1 LIMIT ?3)',
      ),
      count: prepare('SELECT count(*) AS live FROM session WHERE idle_until > ?'),
      sweep: prepare(
        'DELETE FROM session WHERE key IN (SELECT key FROM session WHERE idle_until <= ? ORDER BY idle_until LIMIT ?)',
      ),
    };
  }

  create(key: string, sealed: string): Promise<number> {
    return this.#write(key, () => {
      const now = this.#now();
      const expiresAt = now + this.#max;
      this.#sweep(now);
      this.#statements.create.run(key, sealed, Math.min(now + this.#idle, expiresAt), expiresAt);
      return expiresAt;
    });
  }

  read(key: string): Promise<StoredSession | undefined> {
    return this.#look(key, () => {
      const now = this.#now();
      const found = this.#find(key, now);
      if (found === undefined) return undefined;
      const { stored, idleUntil: noted } = found;
      const idleUntil = Math.min(now + this.#idle, stored.expiresAt);
      const gained = idleUntil - noted;
      if (gained > this.#idle * TOUCH_AFTER || gained < 0) this.#touch(key, stored, idleUntil);
      return stored;
    });
  }

  peek(key: string): Promise<PeekedSession | undefined> {
    return this.#look(key, () => {
      const now = this.#now();
      const found = this.#find(key, now);
      if (found === undefined) return undefined;
      const idleExpiresAt = Math.min(found.idleUntil, now + this.#idle, found.stored.expiresAt);
      return { ...found.stored, idleExpiresAt, platformUse: this.#uses.get(key) };
    });
  }

  noteUse(key: string, at: number, timeoutMs?: number): void {
    this.#uses.note(key, at, timeoutMs);
  }

  replace(key: string, version: number, sealed: string): Promise<boolean> {
    return this.#write(
      key,
      () => this.#statements.replace.run(sealed, key, version, this.#now()).changes === 1,
    );
  }

  async remove(key: string, version?: number): Promise<boolean> {
    const isRemoved = await this.#write(
      key,
      () => this.#statements.remove.run(key, version ?? null).changes === 1,
    );
    if (isRemoved) this.#uses.drop(key);
    return isRemoved;
  }

  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState> {
    return Promise.resolve(this.#leases.lease(key, holder, milliseconds));
  }

  settle(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return Promise.resolve(this.#leases.settle(key, holder, milliseconds));
  }

  ping(): Promise<void> {
    return this.#attempt(() => {
      this.#database.exec('BEGIN IMMEDIATE; ROLLBACK');
    });
  }

  count(): Promise<number> {
    return this.#attempt(() => {
      this.#writes.flush();
      return Number(this.#statements.count.get(this.#now())?.live);
    });
  }

  close(): Promise<void> {
    this.#writes.flush();
    if (this.#database.isOpen) this.#database.close();
    return Promise.resolve();
  }

  #find(key: string, now: number): { stored: StoredSession; idleUntil: number } | undefined {
    const row = this.#statements.read.get(key, now);
    if (row === undefined) return undefined;
    const stored = {
      version: Number(row.version),
      sealed: String(row.sealed),
      expiresAt: Math.min(Number(row.expires_at), now + this.#max),
    };
    return { stored, idleUntil: Number(row.idle_until) };
  }

  #sweep(now: number): void {
    const since = now - this.#sweptAt;
    if (since >= 0 && since < SWEEP_PAUSE_MS) return;
    const { sweep, shorten } = this.#statements;
    const swept = sweep.run(now, SWEEP_ROWS).changes;
    // After the clock was set back, they would live longer than a new session.
    const shortened = shorten.run(now + this.#idle, now + this.#max, SWEEP_ROWS).changes;
    if (Math.max(Number(swept), Number(shortened)) < SWEEP_ROWS) this.#sweptAt = now;
  }

  /** A read must answer even if nothing can be written, so a touch that fails is ignored. */
  #touch(key: string, { version, expiresAt }: StoredSession, idleUntil: number): void {
    try {
      this.#statements.touch.run(idleUntil, expiresAt, key, version);
    } catch {
      // The idle time is unchanged; the next read tries again.
    }
  }

  async #write<T>(key: string, work: () => T): Promise<T> {
    try {
      return await this.#writes.write(key, work);
    } catch (error) {
      throw unavailable(error);
    }
  }

  #look<T>(key: string, work: () => T): Promise<T> {
    return this.#attempt(() => {
      this.#writes.flushFor(key);
      return work();
    });
  }

  #attempt<T>(work: () => T): Promise<T> {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(unavailable(error));
    }
  }
}
