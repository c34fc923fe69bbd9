import { type DatabaseSync, type StatementSync } from 'node:sqlite';

interface Write {
  /** Runs statements. It runs again if the group fails, so it must do nothing else. */
  readonly work: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes that arrive in the same turn of the event loop share one commit, because a commit waits for the disk. Each is
 * answered after the commit. They run in the order in which they arrived. If the group fails, each runs again on its own, so
 * that a write that cannot be done fails alone.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #keys = new Set<string>();
  #waiting: Write[] = [];
  #turn: NodeJS.Immediate | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
  }

  /** Resolves with what the work returned, once it is on disk. */
  write<T>(key: string, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#keys.add(key);
      this.#turn ??= setImmediate(() => {
        this.flush();
      });
    });
  }

  /** Runs the work that waits for a key now, so that a read does not miss it. */
  flushFor(key: string): void {
    if (this.#keys.has(key)) this.flush();
  }

  /** Runs all the work that waits now. */
  flush(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const writes = this.#waiting;
    this.#waiting = [];
    this.#keys.clear();
    if (writes.length > 1 && this.#doTogether(writes)) return;
    for (const write of writes) this.#doAlone(write);
  }

  #doTogether(writes: readonly Write[]): boolean {
    const results: unknown[] = [];
    try {
      this.#begin.run();
      for (const { work } of writes) results.push(work());
      this.#commit.run();
    } catch {
      return false;
    }
    for (const [n, { resolve }] of writes.entries()) resolve(results[n] as never);
    return true;
  }

  #doAlone({ work, resolve, reject }: Write): void {
    try {
      // SQLite itself has ended a transaction that failed for lack of space. What follows must not be part of one.
      if (this.#database.isTransaction) this.#rollback.run();
      resolve(work() as never);
    } catch (error) {
      reject(error);
    }
  }
}
