/** How many failures are allowed under a key, and what happens after that. */
export interface FailureRule {
  readonly key: string;
  readonly failures: number;
  /**
   * `refuse`: no more attempts. `queue`: one at a time, with a pause after each failure. `delay`: each attempt
   * starts later, no matter what others do.
   */
  readonly then: 'refuse' | 'queue' | 'delay';
}

/** The pause after a failure under a key over its limit, in milliseconds. */
const PAUSE_MS = 1000;
const DELAY_MS = 2000;
/** The most attempts that may wait under one key; further ones are refused immediately. */
const MOST_WAITING = 2000;

/** How an attempt gets its turn. Settled once. */
interface Turn {
  readonly begin: () => void;
  readonly refuse: (why: 'failures' | 'queue') => void;
}

/**
 * The attempts under one key, first come, first served. A key over its limit never delays the attempts of another
 * key.
 */
export class AttemptQueue {
  readonly rule: FailureRule;
  /** How many attempts use this queue. While there are any, a new queue must not replace it. */
  users = 0;
  readonly #waiting = new Set<Turn>();
  #inFlight = 0;
  #failuresHere = 0;
  /** The failures that the store has counted and this process has not. */
  #failuresElsewhere = 0;
  #pauseEnds = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(rule: FailureRule) {
    this.rule = rule;
  }

  /** Failures that this queue has seen so far. */
  get failuresHere(): number {
    return this.#failuresHere;
  }

  /** Whether forgetting this queue would change anything. */
  get isIdle(): boolean {
    return this.users === 0 && Date.now() >= this.#pauseEnds;
  }

  /** @param seenBefore `failuresHere` when the store was asked; later failures may or may not be in its count. */
  learn(counted: number, seenBefore: number): void {
    this.#failuresElsewhere = counted - seenBefore;
    this.#advance();
  }

  /** Begins an attempt if it need not wait. */
  begin(): boolean {
    if (this.#waiting.size > 0 || this.#failures + this.#inFlight >= this.rule.failures) return false;
    this.#inFlight += 1;
    return true;
  }

  /** Adds a turn to the line. Returns a function that takes it out again. */
  enter(turn: Turn): () => void {
    if (this.rule.then === 'delay') return this.#delay(turn);
    this.#waiting.add(turn);
    this.#advance();
    if (this.#waiting.size > MOST_WAITING && this.#waiting.delete(turn)) turn.refuse('queue');
    return () => {
      this.#waiting.delete(turn);
    };
  }

  /** Ends an attempt that has begun. */
  leave(): void {
    this.#inFlight -= 1;
    this.#advance();
  }

  fail(): void {
    this.#failuresHere += 1;
    if (this.rule.then === 'queue' && this.#isUsedUp) this.#pauseEnds = Date.now() + PAUSE_MS;
  }

  /** Continues when the pause is over. */
  afterPause(done: () => void): void {
    setTimeout(done, this.#pauseLeft).unref();
  }

  get #pauseLeft(): number {
    return Math.max(1, this.#pauseEnds - Date.now());
  }

  get #failures(): number {
    return this.#failuresElsewhere + this.#failuresHere;
  }

  get #isUsedUp(): boolean {
    return this.#failures >= this.rule.failures;
  }

  /** No more attempts run at the same time than may still fail: sending a thousand guesses together gains nothing. */
  get #mayBegin(): boolean {
    if (!this.#isUsedUp) return this.#failures + this.#inFlight < this.rule.failures;
    return this.#inFlight === 0 && Date.now() >= this.#pauseEnds;
  }

  #advance(): void {
    for (const turn of this.#waiting) {
      if (this.#isUsedUp && this.rule.then === 'refuse') {
        this.#waiting.delete(turn);
        turn.refuse('failures');
      } else if (this.#mayBegin) {
        this.#waiting.delete(turn);
        this.#inFlight += 1;
        turn.begin();
      } else {
        break;
      }
    }
    if (this.#waiting.size > 0 && this.#inFlight === 0 && this.#timer === undefined) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#advance();
      }, this.#pauseLeft);
    }
  }

  #delay(turn: Turn): () => void {
    const begin = (): void => {
      this.#inFlight += 1;
      turn.begin();
    };
    const timer = setTimeout(begin, DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }
}
