import { GUEST, type Party } from './fair-queue.js';

/** How long the outcome of a call counts. */
const VOTE_MS = 10_000;

/** Fewer failing parties than this never open a circuit. */
const MIN_FAILING = 5;

/** Bounds the memory that a flood of parties can take; the oldest outcome goes first. */
const MAX_VOTERS = 10_000;

interface Vote {
  readonly isGuest: boolean;
  readonly isFault: boolean;
  readonly at: number;
}

/**
 * The outcome of the last call of each account. An account has one vote, and so have all guests of a network
 * together: whose own calls always fail says nothing about the platform, however many calls and sessions it makes.
 */
export class Votes {
  /** The oldest first. */
  readonly #votes = new Map<string, Vote>();
  readonly #named = { votes: 0, faults: 0 };
  readonly #guests = { votes: 0, faults: 0 };

  cast(party: Party, isFault: boolean): void {
    const at = Date.now();
    // Network and account; the finest level only where there is no other.
    const voter = party.slice(0, 2).join('\n');
    this.#remove(voter);
    const vote = { isGuest: party[1] === GUEST, isFault, at };
    this.#votes.set(voter, vote);
    this.#count(vote, 1);
    for (const [oldest, other] of this.#votes) {
      if (at - other.at < VOTE_MS && this.#votes.size <= MAX_VOTERS) return;
      this.#remove(oldest);
    }
  }

  /**
   * Whether most voters saw a fault of the platform, and there are enough of them. Guests alone, who may be any
   * number of networks, do not outvote the named accounts.
   */
  get mostFail(): boolean {
    const { votes, faults } = this.#named;
    const all = { votes: votes + this.#guests.votes, faults: faults + this.#guests.faults };
    return all.faults >= MIN_FAILING && isMost(all) && (votes === 0 || isMost({ votes, faults }));
  }

  #count({ isGuest, isFault }: Vote, by: 1 | -1): void {
    const counts = isGuest ? this.#guests : this.#named;
    counts.votes += by;
    if (isFault) counts.faults += by;
  }

  #remove(voter: string): void {
    const vote = this.#votes.get(voter);
    if (vote === undefined) return;
    this.#votes.delete(voter);
    this.#count(vote, -1);
  }
}

function isMost({ votes, faults }: { readonly votes: number; readonly faults: number }): boolean {
  return faults * 2 > votes;
}
