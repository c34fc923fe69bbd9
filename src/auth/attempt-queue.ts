import { type End, FairQueue, GUEST, type Party } from 'portico/internal';

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
const GUESTS_SHARE = 2 / 3;
/** The most attempts that may wait under one key; further ones are refused immediately. */
const MOST_WAITING = 2000;

/** How an attempt gets its turn. Settled once. */
interface Turn {
  readonly party: Party;
  /** With how to end it. */
  readonly begin: (end: End) => void;
  readonly refuse: (why: 'failures' | 'queue') => void;
}

/**
 * The attempts under one key, in the order of a {@link FairQueue}: the accounts of a network do not wait for its
 * guests. A key over its limit never delays the attempts of another key.
 */
export class AttemptQueue {
  readonly rule: FailureRule;
  /** How many attempts use this queue. While there are any, a new queue must not replace it. */
  users = 0;
  /** Failures that this queue has seen so far. */
  failuresHere = 0;
  /** The failures that the store has counted and this process has not, as far as is known. */
  failuresElsewhere = 0;
  readonly #turns: FairQueue<Turn>;
  /** When the pause after a failure is over; 0 if there was none. */
  pauseEnds = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(rule: FailureRule) {
    this.rule = rule;
    // Some attempts of a network are kept for its accounts.
    const ofGuests = Math.ceil(rule.failures * GUESTS_SHARE);
    this.#turns = new FairQueue({ most: ({ name }) => (name === GUEST ? ofGuests : Infinity) });
  }

  /** The store has counted more or fewer failures than were known. */
  learn(failuresElsewhere: number): void {
    this.failuresElsewhere = failuresElsewhere;
    this.#advance();
  }

  /** Begins an attempt if it need not wait. Returns how to end it. */
  begin(party: Party): End | undefined {
    return this.#mayFailToo ? this.#turns.tryBegin(party) : undefined;
  }

  /** Adds a turn to the line. Returns a function that takes it out again. */
  enter(turn: Turn): () => void {
    if (this.rule.then === 'delay') return this.#delay(turn);
    const leaveLine = this.#turns.add(turn.party, turn);
    this.#advance();
    if (this.#turns.waiting > MOST_WAITING && leaveLine()) turn.refuse('queue');
    return leaveLine;
  }

  /** Ends an attempt that has begun. */
  leave(end: End): void {
    end();
    this.#advance();
  }

  fail(): void {
    this.failuresHere += 1;
    if (this.rule.then === 'queue' && this.#isUsedUp) this.pauseEnds = Date.now() + PAUSE_MS;
  }

  /** Continues when the pause is over. */
  afterPause(done: () => void): void {
    setTimeout(done, this.#pauseLeft).unref();
  }

  get #pauseLeft(): number {
    return Math.max(1, this.pauseEnds - Date.now());
  }

  get #failures(): number {
    return this.failuresElsewhere + this.failuresHere;
  }

  get #isUsedUp(): boolean {
    return this.#failures >= this.rule.failures;
  }

  /** No more attempts run at the same time than may still fail: sending a thousand guesses together gains nothing. */
  get #mayBegin(): boolean {
    if (!this.#isUsedUp) return this.#mayFailToo;
    return this.#turns.inFlight === 0 && Date.now() >= this.pauseEnds;
  }

  /** Whether the limit still holds if all attempts that have begun fail, and one more. */
  get #mayFailToo(): boolean {
    return this.#failures + this.#turns.inFlight < this.rule.failures;
  }

  #advance(): void {
    const queue = this.#turns;
    if (queue.waiting === 0) return;
    const isOver = this.#isUsedUp && this.rule.then === 'refuse';
    while (isOver || this.#mayBegin) {
      const turn = queue.next();
      if (turn === undefined) break;
      if (isOver) turn.refuse('failures');
      else this.#give(turn);
    }
    if (queue.waiting > 0 && queue.inFlight === 0 && this.#timer === undefined) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#advance();
      }, this.#pauseLeft);
    }
  }

  #delay(turn: Turn): () => void {
    const timer = setTimeout(() => {
      this.#give(turn);
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }

  #give(turn: Turn): void {
    turn.begin(this.#turns.begin(turn.party));
  }
}
