import { type Party } from './bulkhead.js';

/** How long the outcome of a call counts. */
const VOTE_MS = 10_000;

/** Fewer failing parties than this never open a circuit. */
const MIN_FAILING = 5;

/** Bounds the memory that a flood of parties can take; the oldest outcome goes first. */
const MAX_PARTIES = 10_000;

interface Vote {
  readonly isFault: boolean;
  readonly at: number;
}

/**
 * The outcome of the last call of each party. Each party has one vote, so that a party whose own calls always fail says
 * nothing about the platform, however many calls it makes.
 */
export class Votes {
  /** The oldest first. */
  readonly #votes = new Map<Party, Vote>();
  #faults = 0;

  cast(party: Party, isFault: boolean): void {
    const at = Date.now();
    this.#remove(party);
    this.#votes.set(party, { isFault, at });
    if (isFault) this.#faults += 1;
    for (const [oldest, vote] of this.#votes) {
      if (at - vote.at < VOTE_MS && this.#votes.size <= MAX_PARTIES) return;
      this.#remove(oldest);
    }
  }

  /** Whether most parties saw a fault of the platform, and there are enough of them. */
  get mostFail(): boolean {
    return this.#faults >= MIN_FAILING && this.#faults * 2 > this.#votes.size;
  }

  #remove(party: Party): void {
    if (this.#votes.get(party)?.isFault === true) this.#faults -= 1;
    this.#votes.delete(party);
  }
}
