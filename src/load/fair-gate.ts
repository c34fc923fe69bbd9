/** Gives a place back; calling it again does nothing. */
export type Leave = () => void;

/** Why nobody may enter: the party's own limit, or that of all together. */
export type Full = 'party' | 'all';

/** Those whose requests are counted together: a session, or an address without one. */
export interface Party {
  readonly name: string;
  /** How many of its requests may be in flight, and how many more may wait. */
  readonly most: number;
}

export interface GateOptions {
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

/** What happened at the gate between two samples. */
export interface GateCounts {
  /** The most that were in flight at once. */
  readonly inFlight: number;
  /** How many have left. */
  readonly left: number;
}

interface Waiter {
  readonly enter: (leave: Leave) => void;
}

interface Guest {
  readonly party: Party;
  inFlight: number;
  /** In the order in which they came. */
  readonly waiting: Set<Waiter>;
}

/**
 * Lets so many in, in all and of each party. Others wait a little, in their party's line, and the parties take turns: one
 * with a long line keeps nobody else from the next place.
 */
export class FairGate {
  readonly #options: GateOptions;
  readonly #guests = new Map<string, Guest>();
  /** Those with a line whose own limit is not met, in turn. */
  readonly #turns = new Set<Guest>();
  #inFlight = 0;
  #waiting = 0;
  #peak = 0;
  #left = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether nobody else may even wait. */
  get isFull(): boolean {
    return this.#waiting >= this.#options.mostWaiting();
  }

  /** What happened since this was last asked. */
  takeCounts(): GateCounts {
    const counts = { inFlight: this.#peak, left: this.#left };
    this.#peak = this.#inFlight;
    this.#left = 0;
    return counts;
  }

  /** Why one more of the party could not even wait; undefined if it could. */
  full(party: Party): Full | undefined {
    const guest = this.#guests.get(party.name);
    if (this.#hasRoom(guest, party)) return undefined;
    if (guest === undefined) return this.isFull ? 'all' : undefined;
    // The dynamic threshold of shared buffers: one party alone may take two thirds of the line, and less the fuller it is.
    const free = this.#options.mostWaiting() - this.#waiting;
    if (guest.waiting.size >= Math.min(party.most, free * LINE_SHARE))
      return guest.inFlight >= party.most ? 'party' : 'all';
    return this.isFull ? 'all' : undefined;
  }

  /** A place, if there is one at once. */
  tryEnter(party: Party): Leave | undefined {
    const guest = this.#guests.get(party.name);
    return this.#hasRoom(guest, party) ? this.#admit(guest ?? this.#guest(party)) : undefined;
  }

  /**
   * A place, at once or within the patience.
   *
   * @param caller whose wait ends when it has gone.
   * @returns why there is no place, if that is so.
   */
  enter(party: Party, caller: Impatient): Promise<Leave | Full> {
    const place = this.tryEnter(party) ?? this.full(party);
    if (place !== undefined) return Promise.resolve(place);
    const signal = caller.gone;
    const guest = this.#guest(party);
    return new Promise((resolve) => {
      const end = (result: Leave | Full): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(result);
      };
      const waiter: Waiter = { enter: end };
      const giveUp = (): void => {
        if (!guest.waiting.delete(waiter)) return;
        this.#waiting -= 1;
        if (guest.waiting.size === 0) this.#turns.delete(guest);
        const why = guest.inFlight >= party.most ? 'party' : 'all';
        this.#forgetIdle(guest);
        end(why);
      };
      const timer = setTimeout(giveUp, this.#options.patience).unref();
      signal.addEventListener('abort', giveUp);
      guest.waiting.add(waiter);
      this.#waiting += 1;
      if (guest.inFlight < party.most) this.#turns.add(guest);
      if (signal.aborted) giveUp();
    });
  }

  /** Lets those in who wait while there is room; to be called when the limit has been raised. */
  admitWaiting(): void {
    for (const guest of this.#turns) {
      if (this.#inFlight >= this.#options.most()) return;
      const [next] = guest.waiting;
      this.#turns.delete(guest);
      if (next === undefined) continue;
      guest.waiting.delete(next);
      this.#waiting -= 1;
      const leave = this.#admit(guest);
      // To the end of the line of parties: a set gives what is added while it is walked.
      if (guest.waiting.size > 0 && guest.inFlight < guest.party.most) this.#turns.add(guest);
      next.enter(leave);
    }
  }

  #hasRoom(guest: Guest | undefined, party: Party): boolean {
    return (
      this.#turns.size === 0 &&
      this.#inFlight < this.#options.most() &&
      (guest === undefined || guest.inFlight < party.most)
    );
  }

  #admit(guest: Guest): Leave {
    guest.inFlight += 1;
    this.#inFlight += 1;
    this.#peak = Math.max(this.#peak, this.#inFlight);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      guest.inFlight -= 1;
      this.#inFlight -= 1;
      this.#left += 1;
      if (guest.waiting.size > 0) this.#turns.add(guest);
      this.#forgetIdle(guest);
      this.admitWaiting();
    };
  }

  #guest(party: Party): Guest {
    const known = this.#guests.get(party.name);
    if (known !== undefined) return known;
    const guest: Guest = { party, inFlight: 0, waiting: new Set() };
    this.#guests.set(party.name, guest);
    return guest;
  }

  #forgetIdle(guest: Guest): void {
    if (guest.inFlight === 0 && guest.waiting.size === 0) this.#guests.delete(guest.party.name);
  }
}
