import { LRUCache } from 'lru-cache';
import { ServiceError, storeUnavailable } from '../../errors/service-error.js';
import { DurableFile, everyTwoSeconds } from './durable-file.js';
import { LeaseTable } from './lease-table.js';
import { recordLoginsInProcess } from './login-records.js';
import {
  type Ending,
  type EndingCause,
  ENDINGS_KEPT_MS,
  type LeaseState,
  type ListedRecord,
  type PeekedRecord,
  type PlatformUse,
  type SessionLife,
  sessionLife,
  type SessionStore,
  type StoredRecord,
  TOUCH_AFTER,
} from './session-store.js';
import { type BackendFile, type OpenBackend } from './store-backend.js';
import { tryStoreFile } from './store-database.js';
import { steadyClock } from './steady-clock.js';
import { StoreHealth } from './store-health.js';

/** A sweep removes at most this many expired rows, and shortens at most this many that would live too long. */
const SWEEP_ROWS = 100;
/** A sweep that found less is not repeated for this long. */
const SWEEP_PAUSE_MS = 100;
/** The last uses of at most this many platform sessions are kept, about 10 MB. */
const MOST_USES = 50_000;
/** How many sessions can be ended in memory while the disk takes no writes. */
const MOST_ENDED = 100_000;
/** How many sessions one answer lists. */
const LISTED = 1000;
const ENDED_HERE = 'the session has ended in this process, but it may come back when the process restarts';

export const fix =
  'SESSION_STORE_PATH: check the path and its permissions, and that no other process has the file';

export const open: OpenBackend = (settings, health) => ({
  sessions: new EmbeddedSessionStore(
    settings.SESSION_STORE_PATH,
    sessionLife(settings),
    steadyClock(),
    health,
  ),
  logins: recordLoginsInProcess(),
  health,
});

export const tryOut: BackendFile['tryOut'] = async ({ SESSION_STORE_PATH: path }) => {
  await Promise.resolve();
  tryStoreFile(path);
  return { product: `SQLite ${process.versions.sqlite ?? ''}` };
};

/** Sessions in one durable file. A confirmed write is on disk. Only one process may use the file at a time. */
export class EmbeddedSessionStore implements SessionStore {
  readonly #file: DurableFile;
  readonly #idle: number;
  readonly #max: number;
  readonly #health: StoreHealth;
  readonly #leases: LeaseTable;
  /** With `max`, it would take the memory for all of them now. */
  readonly #uses = new LRUCache<string, PlatformUse>({ maxSize: MOST_USES, sizeCalculation: () => 1 });
  /** Sessions that have ended but are still in the file. The next commit removes them. */
  readonly #ended = new LRUCache<string, true>({ maxSize: MOST_ENDED, sizeCalculation: () => 1 });
  readonly #endings: Ending[] = [];
  readonly now: () => number;
  /** When a sweep last found less than it may remove. */
  #sweptAt = Number.NaN;

  /**
   * @param path the file; it and its folders are created with access for their owner only.
   * @param now milliseconds since the epoch.
   * @throws ServiceError SESSION_STORE_UNAVAILABLE when another process has the file open, or it is not a session
   *   file.
   * @throws StorePathError when the file cannot be created.
   */
  constructor(
    path: string,
    life: SessionLife,
    now = steadyClock(),
    health = new StoreHealth(),
    beginChecks = everyTwoSeconds,
  ) {
    this.now = now;
    this.#idle = life.idleSeconds * 1000;
    this.#max = life.maxSeconds * 1000;
    this.#health = health;
    this.#leases = new LeaseTable(now);
    this.#file = new DurableFile(path, health, this.#ended, beginChecks);
  }

  create(key: string, sealed: string, account?: string): Promise<number> {
    return this.#file.write(key, () => {
      const now = this.now();
      const expiresAt = now + this.#max;
      this.#sweep(now);
      const { create, join } = this.#file.statements;
      create.run(key, sealed, Math.min(now + this.#idle, expiresAt), expiresAt);
      if (account !== undefined) join.run(key, account);
      return expiresAt;
    });
  }

  read(key: string): Promise<StoredRecord | undefined> {
    return this.#file.read(key, () => {
      const now = this.now();
      const found = this.#find(key, now);
      if (found === undefined) return undefined;
      const { stored, idleUntil: noted } = found;
      const idleUntil = Math.min(now + this.#idle, stored.expiresAt);
      const gained = idleUntil - noted;
      if (gained > this.#idle * TOUCH_AFTER || gained < 0) {
        this.#file.tryWrite(() =>
          this.#file.statements.touch.run(idleUntil, stored.expiresAt, key, stored.version),
        );
      }
      return stored;
    });
  }

  peek(key: string): Promise<PeekedRecord | undefined> {
    return this.#file.read(key, () => {
      const now = this.now();
      const found = this.#find(key, now);
      if (found === undefined) return undefined;
      const idleExpiresAt = Math.min(found.idleUntil, now + this.#idle, found.stored.expiresAt);
      return { ...found.stored, idleExpiresAt, platformUse: this.#uses.get(key) };
    });
  }

  noteUse(key: string, at: number, timeoutMs?: number): void {
    const known = this.#uses.get(key);
    const timeout = timeoutMs ?? known?.timeoutMs;
    if (timeout !== undefined) this.#uses.set(key, { at: Math.max(at, known?.at ?? at), timeoutMs: timeout });
  }

  replace(key: string, version: number, sealed: string): Promise<boolean> {
    return this.#file.write(
      key,
      () => this.#file.statements.replace.run(sealed, key, version, this.now()).changes === 1,
    );
  }

  /** If the file cannot be written, the session has still ended in this process. */
  async remove(key: string, version?: number): Promise<boolean> {
    try {
      const isRemoved = await this.#file.write(
        key,
        () => this.#file.statements.remove.run(key, version ?? null).changes === 1,
      );
      if (isRemoved) this.#uses.delete(key);
      return isRemoved;
    } catch (error) {
      if (!(error instanceof ServiceError) || !(await this.#isCurrent(key, version))) throw error;
      this.#ended.set(key, true);
      this.#health.report(`A session could not be removed from the store: ${ENDED_HERE}`);
      throw storeUnavailable(`${error.message}; ${ENDED_HERE}`);
    }
  }

  async end(key: string, cause: EndingCause): Promise<boolean> {
    const isRemoved = await this.remove(key);
    if (!isRemoved) return false;
    const now = this.now();
    this.#endings.push({ key, cause, at: now });
    while ((this.#endings[0]?.at ?? now) < now - ENDINGS_KEPT_MS) this.#endings.shift();
    return true;
  }

  endings(since: number): Promise<readonly Ending[]> {
    return Promise.resolve(this.#endings.filter(({ at }) => at >= since).slice(0, LISTED));
  }

  ofAccount(account: string): Promise<readonly string[]> {
    return this.#file.read(undefined, () =>
      this.#file.statements.ofAccount.all(account, LISTED).map(({ key }) => String(key)),
    );
  }

  /** A session that ends leaves its account in the same transaction. */
  leaveAccount(): void {
    return;
  }

  async summary(key: string): Promise<ListedRecord | undefined> {
    const now = this.now();
    const found = await this.#file.read(key, () => this.#find(key, now));
    if (found === undefined) return undefined;
    const { stored, idleUntil } = found;
    return this.#listed({ key, sealed: stored.sealed, idleUntil, expiresAt: stored.expiresAt }, now);
  }

  async *list(): AsyncGenerator<readonly ListedRecord[]> {
    let last = '';
    for (;;) {
      const now = this.now();
      const rows = await this.#file.read(undefined, () => this.#file.statements.list.all(last, now, LISTED));
      if (rows.length === 0) return;
      last = String(rows.at(-1)?.key);
      yield rows
        .filter(({ key }) => !this.#ended.has(String(key)))
        .map((row) => {
          const [idleUntil, expiresAt] = [Number(row.idle_until), Number(row.expires_at)];
          return this.#listed(
            { key: String(row.key), sealed: String(row.sealed), idleUntil, expiresAt },
            now,
          );
        });
    }
  }

  lease(key: string, holder: string, milliseconds: number): Promise<LeaseState> {
    return Promise.resolve(this.#leases.lease(key, holder, milliseconds));
  }

  settle(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return Promise.resolve(this.#leases.settle(key, holder, milliseconds));
  }

  ping(): Promise<void> {
    return this.#file.ping();
  }

  async reach(): Promise<void> {
    await this.#file.read(undefined, () => this.#file.statements.read.get('', this.now()));
  }

  count(): Promise<number> {
    return this.#file.read(undefined, () => Number(this.#file.statements.count.get(this.now())?.live));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #find(key: string, now: number): { stored: StoredRecord; idleUntil: number } | undefined {
    const row = this.#ended.has(key) ? undefined : this.#file.statements.read.get(key, now);
    if (row === undefined) return undefined;
    const stored = {
      version: Number(row.version),
      sealed: String(row.sealed),
      expiresAt: Math.min(Number(row.expires_at), now + this.#max),
    };
    return { stored, idleUntil: Number(row.idle_until) };
  }

  #listed(
    {
      key,
      sealed,
      idleUntil,
      expiresAt,
    }: Pick<ListedRecord, 'key' | 'sealed' | 'expiresAt'> & { idleUntil: number },
    now: number,
  ): ListedRecord {
    const lastUsedAt = Math.min(idleUntil - this.#idle, now);
    return { key, sealed, lastUsedAt, idleExpiresAt: Math.min(idleUntil, expiresAt), expiresAt };
  }

  async #isCurrent(key: string, version: number | undefined): Promise<boolean> {
    if (version === undefined) return true;
    return (await this.peek(key))?.version === version;
  }

  #sweep(now: number): void {
    const since = now - this.#sweptAt;
    if (since >= 0 && since < SWEEP_PAUSE_MS) return;
    const { sweep, shorten } = this.#file.statements;
    const swept = sweep.run(now, SWEEP_ROWS).changes;
    // After the clock was set back, they would live longer than a new session.
    const shortened = shorten.run(now + this.#idle, now + this.#max, SWEEP_ROWS).changes;
    if (Math.max(Number(swept), Number(shortened)) < SWEEP_ROWS) this.#sweptAt = now;
  }
}
