/** The right to make one large answer. */
export interface Turn {
  /** Reports that the answer has made progress: on a busy machine, a large one takes long, and keeps its turn. */
  refresh(): void;
  /** Lets the next one begin. Only the first call counts. */
  end(): void;
}

interface Waiting {
  readonly caller: string;
  readonly begin: (turn: Turn) => void;
}

/** Large answers that are made at the same time, by all callers and by one. */
const AT_ONCE = 4;
const AT_ONCE_FOR_ONE_CALLER = 2;
/** An answer without progress for this long, such as one that waits for a slow platform, no longer blocks others. */
const IDLE_TURN_MS = 5000;

/**
 * Lets large answers be made a few at a time, each in its own event loop iteration, so that probes and small
 * requests are served in between. First come, first served, but no caller takes more than its share.
 */
export class AnswerTurns {
  readonly #hasRoom: () => boolean;
  readonly #later: (work: () => void) => void;
  readonly #callers = new Map<string, number>();
  #waiting: Waiting[] = [];
  #active = 0;
  #isScheduled = false;

  /**
   * @param hasRoom whether there is memory for another large answer.
   * @param later does work in a later event loop iteration.
   */
  constructor(hasRoom: () => boolean = () => true, later: (work: () => void) => void = setImmediate) {
    this.#hasRoom = hasRoom;
    this.#later = later;
  }

  /** Resolves in a later event loop iteration, for the next part of an answer. */
  nextIteration(): Promise<void> {
    return new Promise((resolve) => {
      this.#later(resolve);
    });
  }

  /**
   * A turn, now or later.
   *
   * @param caller who shares the turns: a session, or an address.
   * @param gone aborts when nobody waits for the answer anymore.
   * @returns undefined if that happened before the turn began.
   */
  take(caller: string, gone: AbortSignal): Promise<Turn | undefined> {
    if (gone.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        resolve(undefined);
      };
      const waiting: Waiting = {
        caller,
        begin: (turn) => {
          gone.removeEventListener('abort', leave);
          resolve(turn);
        },
      };
      gone.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      this.schedule();
    });
  }

  /** Lets the next one begin in another event loop iteration, if one may. */
  schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#later(() => {
      this.#isScheduled = false;
      this.#beginNext();
    });
  }

  #beginNext(): void {
    if (this.#active >= AT_ONCE || (this.#active > 0 && !this.#hasRoom())) return;
    const index = this.#waiting.findIndex(
      ({ caller }) => (this.#callers.get(caller) ?? 0) < AT_ONCE_FOR_ONE_CALLER,
    );
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (next === undefined) return;
    next.begin(this.#begun(next.caller));
    this.schedule();
  }

  #begun(caller: string): Turn {
    this.#active += 1;
    this.#callers.set(caller, (this.#callers.get(caller) ?? 0) + 1);
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      this.#active -= 1;
      const left = (this.#callers.get(caller) ?? 1) - 1;
      if (left === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, left);
      this.schedule();
    };
    const timer = setTimeout(end, IDLE_TURN_MS).unref();
    const refresh = (): void => {
      if (!hasEnded) timer.refresh();
    };
    return { refresh, end };
  }
}
