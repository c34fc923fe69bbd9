import { LRUCache } from 'lru-cache';

/** Work in progress, or an answer that is kept for a while. */
interface SharedWork {
  readonly answer: Promise<unknown>;
  /** How many callers still wait for the answer; infinite when one of them cannot leave. */
  waiting: number;
  /** Ends the work; absent when a caller cannot leave. */
  readonly abort: AbortController | undefined;
}

/** How long answers are kept, and how many. */
export interface AnswerReuse {
  /** Milliseconds for which an answer is reused; 0: never. */
  readonly milliseconds: number;
  /** The most characters of JSON in all answers together. The answer that was asked for longest ago goes first. */
  readonly mostCharacters: number;
}

/**
 * Coalesces requests: callers who ask for the same thing of one session while it is in progress share one answer. A
 * failure is not kept; an answer is kept for as long as `reuse` allows.
 */
export class RequestCoalescer {
  readonly #sessions = new Map<string, Map<string, SharedWork>>();
  /** The kept answers, each with the removal of its entry above; undefined if none are kept. */
  readonly #kept: LRUCache<SharedWork, () => void> | undefined;

  constructor({ milliseconds, mostCharacters }: AnswerReuse = { milliseconds: 0, mostCharacters: 0 }) {
    if (milliseconds === 0) return;
    this.#kept = new LRUCache<SharedWork, () => void>({
      maxSize: mostCharacters,
      ttl: milliseconds,
      ttlAutopurge: true,
      dispose: (remove) => {
        remove();
      },
    });
  }

  /**
   * Starts the work, unless the same work is in progress for that session. When the last caller leaves, it is
   * aborted.
   *
   * @param sessionKey the store key; two sessions never share anything.
   * @param name identifies the work: its operation and arguments.
   * @param work called with a signal if every caller may leave.
   * @param caller aborts when the caller leaves; without it, the caller stays until the end.
   */
  share<T>(
    sessionKey: string,
    name: string,
    work: (signal: AbortSignal | undefined) => Promise<T>,
    caller?: AbortSignal,
  ): Promise<T> {
    const running = this.#sessions.get(sessionKey) ?? new Map<string, SharedWork>();
    this.#sessions.set(sessionKey, running);
    let shared = running.get(name);
    if (shared === undefined) {
      const abort = caller && new AbortController();
      const answer = work(abort?.signal);
      shared = { answer, abort, waiting: 0 };
      running.set(name, shared);
      void this.#settle(sessionKey, running, name, shared);
    }
    this.#join(shared, caller, () => {
      this.#remove(sessionKey, running, name);
    });
    return shared.answer as Promise<T>;
  }

  /** Callers who ask from now on share neither the session's work in progress nor its kept answers. */
  forget(sessionKey: string): void {
    const running = this.#sessions.get(sessionKey);
    if (running === undefined) return;
    this.#sessions.delete(sessionKey);
    for (const shared of running.values()) this.#kept?.delete(shared);
  }

  /** How many sessions have work in progress or a kept answer. */
  get size(): number {
    return this.#sessions.size;
  }

  #join(shared: SharedWork, caller: AbortSignal | undefined, remove: () => void): void {
    if (caller === undefined) {
      shared.waiting = Infinity;
      return;
    }
    shared.waiting += 1;
    const leave = (): void => {
      shared.waiting -= 1;
      if (shared.waiting > 0) return;
      remove();
      shared.abort?.abort();
    };
    if (caller.aborted) {
      leave();
      return;
    }
    caller.addEventListener('abort', leave, { once: true });
    // Else the answer would be in memory for as long as the signal.
    const stay = (): void => {
      caller.removeEventListener('abort', leave);
    };
    shared.answer.then(stay, stay);
  }

  async #settle(
    sessionKey: string,
    running: Map<string, SharedWork>,
    name: string,
    shared: SharedWork,
  ): Promise<void> {
    const remove = (): void => {
      if (running.get(name) === shared) this.#remove(sessionKey, running, name);
    };
    try {
      const answer = await shared.answer;
      const isCurrent = this.#sessions.get(sessionKey) === running && running.get(name) === shared;
      if (!isCurrent || !this.#keep(shared, answer, remove)) remove();
    } catch {
      remove();
    }
  }

  #keep(shared: SharedWork, answer: unknown, remove: () => void): boolean {
    if (this.#kept === undefined) return false;
    const size = (JSON.stringify(answer) as string | undefined)?.length ?? 1;
    if (size > this.#kept.maxSize) return false;
    this.#kept.set(shared, remove, { size });
    return true;
  }

  #remove(sessionKey: string, running: Map<string, SharedWork>, name: string): void {
    running.delete(name);
    if (running.size === 0 && this.#sessions.get(sessionKey) === running) this.#sessions.delete(sessionKey);
  }
}
