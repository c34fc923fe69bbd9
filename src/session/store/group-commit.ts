import { type DatabaseSync, type StatementSync } from 'node:sqlite';

interface Write {
  /** Runs statements. It runs again if the group fails, so it must do nothing else. */
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A write that is committed, and what its work returned. */
interface Committed {
  readonly write: Write;
  readonly result: unknown;
}

/** What else belongs to each commit. */
export interface CommitHooks {
  /** Runs first in each transaction. */
  readonly begin?: () => void;
  /** Runs after each commit. If it throws, nothing in it is confirmed, although it may have been done. */
  readonly committed?: () => void;
  /** Runs after a transaction that failed. It may have left something in the journal. */
  readonly failed?: () => void;
  /** Resolves when all commits so far are on the disk. By default, a commit itself waits for the disk. */
  readonly sync?: () => Promise<void>;
  /** Runs when commits are on the disk. */
  readonly confirm?: () => void;
}

/** How long the first write of a group waits at most while others arrive. */
const MOST_WAIT_MS = 10;

/**
 * Writes that arrive in the same turn of the event loop share one commit, and while each turn brings more, they wait
 * for each other: a service that is busy with logins makes few commits. What arrives while the disk confirms a commit
 * waits for the next one. Nothing else waits for the disk. Each write is answered when it is there. They run in the
 * order in which they arrived. If a group fails, each of its writes runs again on its own, so that one that cannot be
 * done fails alone.
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
  /** What the next wait for the disk confirms. */
  #committed: Committed[] = [];
  #confirming: Promise<void> | undefined;
  #turn: NodeJS.Immediate | undefined;
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
      if (this.#confirming === undefined && this.#turn === undefined) this.#gather(this.#now());
    });
  }

  #gather(since: number): void {
    const before = this.#waiting.length;
    this.#turn = setImmediate(() => {
      const hasMore = this.#waiting.length > before;
      if (hasMore && this.#now() - since < MOST_WAIT_MS) this.#gather(since);
      else this.flush();
    });
  }

  /** Runs work now, in a commit of its own. It is on the disk with the next write. */
  writeNow(work: () => unknown): void {
    this.flush();
    this.#transact([{ work }]);
  }

  /** Runs all the work that waits now: what is read next has it. */
  flush(): void {
    this.#runWaiting();
    if (this.#committed.length > 0) this.#confirming ??= this.#confirm();
  }

  /** Resolves when all that was written is answered. */
  async settle(): Promise<void> {
    do {
      this.flush();
      await this.#confirming;
    } while (this.#waiting.length > 0);
  }

  async #confirm(): Promise<void> {
    while (this.#committed.length > 0) {
      const committed = this.#committed;
      this.#committed = [];
      try {
        await this.#hooks.sync?.();
        this.#hooks.confirm?.();
        for (const { write, result } of committed) write.resolve(result as never);
      } catch (error) {
        for (const { write } of committed) write.reject(error);
      }
    }
    this.#confirming = undefined;
    if (this.#waiting.length > 0) this.#gather(this.#now());
  }

  #runWaiting(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const writes = this.#waiting;
    this.#waiting = [];
    this.#keys.clear();
    if (writes.length > 1 && this.#doTogether(writes)) return;
    for (const write of writes) this.#doTogether([write], write.reject);
  }

  /** Whether the writes were done, or have failed for good. */
  #doTogether(writes: readonly Write[], failed?: (error: unknown) => void): boolean {
    let results: unknown[];
    try {
      results = this.#transact(writes);
    } catch (error) {
      failed?.(error);
      return false;
    }
    try {
      this.#hooks.committed?.();
    } catch (error) {
      for (const { reject } of writes) reject(error);
      return true;
    }
    for (const [n, write] of writes.entries()) this.#committed.push({ write, result: results[n] });
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
