import { type DatabaseSync, type StatementSync } from 'node:sqlite';

interface Write {
  /** Runs statements. It runs again if the group fails, so it must do nothing else. */
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What else belongs to each commit. */
export interface CommitHooks {
  /** Runs first in each transaction. */
  readonly begin?: () => void;
  /** Runs after each commit. If it throws, nothing in it is confirmed, although it may have been done. */
  readonly confirm?: () => void;
  /** Runs after a transaction that failed. It may have left something in the journal. */
  readonly failed?: () => void;
}

/** How long the first write of a group waits at most while others arrive. */
const MOST_WAIT_MS = 10;

/**
 * Writes that arrive in the same turn of the event loop share one commit, because a commit waits for the disk. While
 * each turn brings more, they wait for each other: a service that is busy with logins makes few commits. Each is
 * answered after the commit. They run in the order in which they arrived. If the group fails, each runs again on its
 * own, so that a write that cannot be done fails alone.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #hooks: CommitHooks;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #keys = new Set<string>();
  /** The keys of what waits: a read under one of them has to `flush` first. */
  readonly keys: ReadonlySet<string> = this.#keys;
  #waiting: Write[] = [];
  #turn: NodeJS.Immediate | undefined;
  /** When the first that waits arrived. */
  #since = 0;
  readonly #now: () => number;

  /** @param now milliseconds of a clock that is never set back */
  constructor(database: DatabaseSync, hooks: CommitHooks = {}, now = () => performance.now()) {
    this.#now = now;
    this.#database = database;
    this.#hooks = hooks;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
  }

  /** Resolves with what the work returned, once it is on disk. */
  write<T>(key: string, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#keys.add(key);
      if (this.#turn !== undefined) return;
      this.#since = this.#now();
      this.#waitForMore();
    });
  }

  #waitForMore(): void {
    const before = this.#waiting.length;
    this.#turn = setImmediate(() => {
      const hasMore = this.#waiting.length > before;
      if (hasMore && this.#now() - this.#since < MOST_WAIT_MS) this.#waitForMore();
      else this.flush();
    });
  }

  /** Runs work now, in a commit of its own. */
  writeNow(work: () => unknown): void {
    this.flush();
    this.#transact([{ work }]);
  }

  /** Runs all the work that waits now. */
  flush(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const writes = this.#waiting;
    this.#waiting = [];
    this.#keys.clear();
    if (writes.length === 0) return;
    if (writes.length > 1 && this.#doTogether(writes)) return;
    for (const write of writes) this.#doTogether([write], write.reject);
  }

  /** Whether the writes were answered. */
  #doTogether(writes: readonly Write[], failed?: (error: unknown) => void): boolean {
    let results: unknown[];
    try {
      results = this.#transact(writes);
    } catch (error) {
      failed?.(error);
      return false;
    }
    try {
      this.#hooks.confirm?.();
    } catch (error) {
      for (const { reject } of writes) reject(error);
      return true;
    }
    for (const [n, { resolve }] of writes.entries()) resolve(results[n] as never);
    return true;
  }

  #transact(writes: readonly Pick<Write, 'work'>[]): unknown[] {
    try {
      this.#begin.run();
      this.#hooks.begin?.();
      const results: unknown[] = [];
      for (const { work } of writes) results.push(work());
      this.#commit.run();
      return results;
    } catch (error) {
      // SQLite itself has ended a transaction that failed for lack of space.
      if (this.#database.isTransaction) this.#rollback.run();
      this.#hooks.failed?.();
      throw error;
    }
  }
}
