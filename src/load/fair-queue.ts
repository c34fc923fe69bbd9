/** Gives a place back; calling it again does nothing. */
export type Leave = () => void;

/** Why one more may not enter: the limit of its party, or that of all together. */
export type Full = 'party' | 'all';

/** Those whose requests are counted together: a session, or an address without one. */
export interface Party {
  readonly name: string;
  /** How many of its requests may be in flight, and how many more may wait. */
  readonly most: number;
}

export interface QueueOptions {
  /** How many may be in flight in all. Read each time. */
  readonly most: () => number;
  /** How many more may wait in all. Read each time. */
  readonly mostWaiting: () => number;
  /** How long one may wait, in milliseconds. */
  readonly patience: number;
}

/** How much of the line one party may have, as a multiple of what is free of it. */
const LINE_SHARE = 2;

/** A caller who may leave while waiting. */
export interface Impatient {
  /** Aborts when it has left. Asked only if it has to wait. */
  readonly gone: AbortSignal;
}

/** What happened between two samples. */
export interface QueueCounts {
  /** The most that were in flight at the same time. */
  readonly inFlight: number;
  /** How many have left. */
  readonly left: number;
}

interface Waiter {
  readonly enter: (leave: Leave) => void;
}

interface PartyState {
  readonly party: Party;
  inFlight: number;
  /** In the order in which they came. */
  readonly waiting: Set<Waiter>;
}

/**
 * Bounds the requests in flight, in total and by party. Others wait a little, in their party's line, and the lines alternate: a
 * party with a long line keeps no other from the next place.
 */
export class FairQueue {
  readonly #options: QueueOptions;
  readonly #parties = new Map<string, PartyState>();
  /** Those with a line whose own limit is not met, in turn. */
  readonly #turns = new Set<PartyState>();
  #inFlight = 0;
  #waiting = 0;
  #peak = 0;
  #left = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether no more may even wait. */
  get isFull(): boolean {
    return this.#waiting >= this.#options.mostWaiting();
  }

  /** What happened since this was last asked. */
  takeCounts(): QueueCounts {
    const counts = { inFlight: this.#peak, left: this.#left };
    this.#peak = this.#inFlight;
    this.#left = 0;
    return counts;
  }

  /** Why one more of the party could not even wait; undefined if it could. */
  full(party: Party): Full | undefined {
    const state = this.#parties.get(party.name);
    if (this.#hasRoom(state, party)) return undefined;
    if (state === undefined) return this.isFull ? 'all' : undefined;
    // The dynamic threshold of shared buffers: one party alone may take two thirds of the line, and less the fuller it is.
    const free = this.#options.mostWaiting() - this.#waiting;
    if (state.waiting.size >= Math.min(party.most, free * LINE_SHARE))
      return state.inFlight >= party.most ? 'party' : 'all';
    return this.isFull ? 'all' : undefined;
  }

  /** A place, if there is one now. */
  tryEnter(party: Party): Leave | undefined {
    const state = this.#parties.get(party.name);
    return this.#hasRoom(state, party) ? this.#admit(state ?? this.#state(party)) : undefined;
  }

  /**
   * A place, now or within the patience.
   *
   * @param caller whose wait ends when it has gone.
   * @returns why there is no place, if that is so.
   */
  enter(party: Party, caller: Impatient): Promise<Leave | Full> {
    const place = this.tryEnter(party) ?? this.full(party);
    if (place !== undefined) return Promise.resolve(place);
    const signal = caller.gone;
    const state = this.#state(party);
    return new Promise((resolve) => {
      const end = (result: Leave | Full): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(result);
      };
      const waiter: Waiter = { enter: end };
      const giveUp = (): void => {
        if (!state.waiting.delete(waiter)) return;
        this.#waiting -= 1;
        if (state.waiting.size === 0) this.#turns.delete(state);
        const why = state.inFlight >= party.most ? 'party' : 'all';
        this.#forgetIdle(state);
        end(why);
      };
      const timer = setTimeout(giveUp, this.#options.patience).unref();
      signal.addEventListener('abort', giveUp);
      state.waiting.add(waiter);
      this.#waiting += 1;
      if (state.inFlight < party.most) this.#turns.add(state);
      if (signal.aborted) giveUp();
    });
  }

  /** Lets those in who wait while there is room; to be called when the limit has been raised. */
  admitWaiting(): void {
    for (const state of this.#turns) {
      if (this.#inFlight >= this.#options.most()) return;
      const [next] = state.waiting;
      this.#turns.delete(state);
      if (next === undefined) continue;
      state.waiting.delete(next);
      this.#waiting -= 1;
      const leave = this.#admit(state);
      // To the end of the line of parties: a set gives what is added while it is walked.
      if (state.waiting.size > 0 && state.inFlight < state.party.most) this.#turns.add(state);
      next.enter(leave);
    }
  }

  #hasRoom(state: PartyState | undefined, party: Party): boolean {
    return (
      this.#turns.size === 0 &&
      this.#inFlight < this.#options.most() &&
      (state === undefined || state.inFlight < party.most)
    );
  }

  #admit(state: PartyState): Leave {
    state.inFlight += 1;
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      state.inFlight -= 1;
      this.#inFlight -= 1;
      this.#left += 1;
      if (state.waiting.size > 0) this.#turns.add(state);
      this.#forgetIdle(state);
      this.admitWaiting();
    };
  }

  #state(party: Party): PartyState {
    const known = this.#parties.get(party.name);
    if (known !== undefined) return known;
    const state: PartyState = { party, inFlight: 0, waiting: new Set() };
    this.#parties.set(party.name, state);
    return state;
  }

  #forgetIdle(state: PartyState): void {
    if (state.inFlight === 0 && state.waiting.size === 0) this.#parties.delete(state.party.name);
  }
}
