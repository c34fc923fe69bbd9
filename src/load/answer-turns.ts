import { FairQueue, growingShare, type Party } from 'portico/internal';

/** The right to make one large answer. */
export interface Turn {
  /**
   * Resolves in a later event loop iteration, for the next part of the answer. What the part costs is charged to the
   * party.
   */
  next(): Promise<void>;
  /** What the answer has so far, in bytes of its text. */
  hold(bytes: number): void;
  /** Lets the next one begin. Only the first call counts. */
  end(): void;
}

/** Does work in a later event loop iteration, and then says how many milliseconds it took. */
export type Later = (work: () => void, took?: (milliseconds: number) => void) => void;

interface Waiting {
  readonly party: Party;
  readonly begin: (turn: Turn) => void;
}

/** Large answers that are made at the same time, in all and of one session. */
const AT_ONCE = 3;
const AT_ONCE_OF_ONE_SESSION = 2;
/** While those that are made have more bytes of text than this, no other begins: each takes several times as much. */
const MOST_HELD = 4 * 1024 * 1024;
/** An answer without progress for this long, such as one that waits for a slow platform, no longer blocks others. */
const IDLE_TURN_MS = 5000;

/**
 * Lets large answers be made a few at a time, from the large response of the platform to the text that is sent, so
 * that memory is bounded. Each part is made in an event loop iteration of its own, so that probes and small requests
 * are served in between. Who is next is the decision of a {@link FairQueue}, by the time that each party's answers
 * took lately.
 */
export class AnswerTurns {
  readonly #hasRoom: () => boolean;
  readonly #later: Later;
  readonly #queue = new FairQueue<Waiting>({
    most: (share): number =>
      share.isFinest ? AT_ONCE_OF_ONE_SESSION : growingShare(share, AT_ONCE - this.#queue.inFlight),
  });
  #isScheduled = false;
  #held = 0;

  /**
   * @param hasRoom whether there is memory for another large answer.
   * @param later begins each part.
   */
  constructor(hasRoom: () => boolean = () => true, later: Later = (work) => setImmediate(work)) {
    this.#hasRoom = hasRoom;
    this.#later = later;
  }

  /** How many answers have a turn or wait for one. */
  get size(): number {
    return this.#queue.inFlight + this.#queue.waiting;
  }

  /**
   * A turn, now or later.
   *
   * @param gone aborts when nobody waits for the answer anymore.
   * @returns undefined if that happened before the turn began.
   */
  take(party: Party, gone: AbortSignal): Promise<Turn | undefined> {
    if (gone.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leaveLine = this.#queue.add(party, {
        party,
        begin: (turn) => {
          gone.removeEventListener('abort', leave);
          void turn.next().then(() => {
            resolve(turn);
          });
        },
      });
      const leave = (): void => {
        leaveLine();
        resolve(undefined);
      };
      gone.addEventListener('abort', leave, { once: true });
      this.schedule();
    });
  }

  /** Lets the next one begin in another event loop iteration, if one may. */
  schedule(): void {
    if (this.#isScheduled || this.#queue.waiting === 0) return;
    this.#isScheduled = true;
    this.#later(() => {
      this.#isScheduled = false;
      this.#beginNext();
    });
  }

  #beginNext(): void {
    const { inFlight } = this.#queue;
    if (inFlight >= AT_ONCE || (inFlight > 0 && (this.#held > MOST_HELD || !this.#hasRoom()))) return;
    const next = this.#queue.next();
    if (next === undefined) return;
    next.begin(this.#begun(next.party));
    this.schedule();
  }

  #begun(party: Party): Turn {
    const leave = this.#queue.begin(party);
    let held = 0;
    let hasEnded = false;
    const hold = (bytes: number): void => {
      if (hasEnded) return;
      this.#held += bytes - held;
      held = bytes;
    };
    const end = (): void => {
      clearTimeout(timer);
      hold(0);
      hasEnded = true;
      leave();
      this.schedule();
    };
    const timer = setTimeout(end, IDLE_TURN_MS).unref();
    return {
      next: () => {
        if (!hasEnded) timer.refresh();
        return new Promise((resolve) => {
          this.#later(resolve, (milliseconds) => {
            this.#queue.charge(party, milliseconds);
          });
        });
      },
      hold,
      end,
    };
  }
}
