import { FairQueue, partOf, type Party, type Share } from 'portico/internal';

/** Gives a place back; calling it again does nothing. */
export type Leave = () => void;

/** Why one more may not enter: the limit of its session or network, or that of all together. */
export type Full = 'party' | 'all';

/** What may change at any time. */
export interface QueueLimits {
  /** How many may be in flight in all. */
  readonly value: number;
  /** How many more may wait in all. */
  readonly mostWaiting: number;
}

export interface QueueOptions {
  /** Read each time. */
  readonly limits: QueueLimits;
  /** How many of one session may be in flight, and how many more may wait. */
  readonly mostOf: (session: string) => number;
  /** How long one may wait, in milliseconds. */
  readonly patience: number;
}

/** How much of the line one session may have, as a multiple of what is free of it. */
const LINE_SHARE = 2;

/**
 * While all places are taken, or all of the line, there are half as many again. Each network and account may have its
 * equal part of those, and has it as long as it does not hold that much anyway: it does not wait for others to leave.
 */
const RESERVE = 0.5;

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

type Waiter = (leave: Leave) => void;

/**
 * Bounds the requests in flight, in total and by session. Others wait a little, and a {@link FairQueue} says which is
 * next.
 */
export class RequestQueue {
  readonly #options: QueueOptions;
  readonly #queue: FairQueue<{ readonly party: Party; readonly enter: Waiter }>;
  #peak = 0;
  #left = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ most: this.#most });
  }

  get inFlight(): number {
    return this.#queue.inFlight;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Whether no more may even wait. */
  get isFull(): boolean {
    return this.#queue.waiting >= this.#options.limits.mostWaiting;
  }

  /**
   * Whether a network holds less than its equal part of what is kept for those that others leave nothing, and of a
   * crowd: more than that it takes from itself.
   */
  hasReserve(network: string, crowd: number): boolean {
    const [share] = this.#queue.shares([network]);
    if (share === undefined) return false;
    const most = Math.min(reserve(this.#options.limits.mostWaiting, share), Math.ceil(crowd * partOf(share)));
    return share.inFlight + share.waiting < most;
  }

  /** What happened since this was last asked. */
  takeCounts(): QueueCounts {
    const counts = { inFlight: this.#peak, left: this.#left };
    this.#peak = this.#queue.inFlight;
    this.#left = 0;
    return counts;
  }

  /** Why one more of the party could not even wait; undefined if it could. */
  full(party: Party): Full | undefined {
    if (this.#queue.mayBegin(party)) return undefined;
    const shares = this.#queue.shares(party);
    const session = shares.at(-1);
    const account = shares.at(-2);
    const { mostWaiting } = this.#options.limits;
    if (this.isFull && (account?.waiting ?? 0) >= reserve(mostWaiting, account)) return 'all';
    if (session === undefined) return undefined;
    // The dynamic threshold of shared buffers: one session may take two thirds of the line, and less the fuller it
    // is.
    const free = Math.max(1, mostWaiting - this.#queue.waiting);
    const mostOfSession = this.#options.mostOf(session.name);
    if (session.waiting < Math.min(mostOfSession, free * LINE_SHARE)) return undefined;
    return session.inFlight >= mostOfSession ? 'party' : 'all';
  }

  /** A place, if there is one now. */
  tryEnter(party: Party): Leave | undefined {
    const end = this.#queue.tryBegin(party);
    return end === undefined ? undefined : this.#admitted(end);
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
    return new Promise((resolve) => {
      const end = (result: Leave | Full): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(result);
      };
      const leaveLine = this.#queue.add(party, { party, enter: end });
      const giveUp = (): void => {
        const session = this.#queue.shares(party).at(-1);
        const isOwnLimit = session !== undefined && session.inFlight >= this.#options.mostOf(session.name);
        if (leaveLine()) end(isOwnLimit ? 'party' : 'all');
      };
      const timer = setTimeout(giveUp, this.#options.patience).unref();
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp();
    });
  }

  /** Lets those in who wait while there is room; has to be called when the limit has been raised. */
  admitWaiting(): void {
    while (this.#queue.waiting > 0) {
      const next = this.#queue.next();
      if (next === undefined) return;
      next.enter(this.#admitted(this.#queue.begin(next.party)));
    }
  }

  readonly #most = (share: Share): number => {
    if (share.isFinest) return this.#options.mostOf(share.name);
    // What an account may have is never more than the part of its network.
    if (share.level === 0) return Infinity;
    const { value: most } = this.#options.limits;
    return this.#queue.inFlight < most ? Infinity : reserve(most, share);
  };

  #admitted(end: () => void): Leave {
    this.#peak = Math.max(this.#peak, this.#queue.inFlight);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      end();
      this.#left += 1;
      if (this.#queue.waiting > 0) this.admitWaiting();
    };
  }
}

function reserve(places: number, account: Share | undefined): number {
  return account === undefined ? 0 : Math.floor(places * RESERVE * partOf(account));
}
