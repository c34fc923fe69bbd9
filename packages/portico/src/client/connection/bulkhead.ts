import { type End, FairQueue, type Party, type Share } from './fair-queue.js';

/** What a call needs a socket for. */
export interface SlotUser {
  readonly party: Party;
  /** Method and path, with ids left out. */
  readonly operation: string;
}

/** A call that may have to wait for a socket. */
export interface Waiter {
  /** Aborts when the call has ended. */
  readonly signal: AbortSignal;
  /** Whether its time is over, so that a socket would be of no use. It ends soon, and not because of that socket. */
  readonly isOver: boolean;
  /** @throws what ended the call, if its time is over */
  requireTime(): void;
}

/** Returns a socket. */
export type Leave = () => void;

/**
 * By level, except the finest: a share grows only while it has less than this many times what is left. A network
 * alone gets three quarters of all there is, and its guests two thirds, so that others find something free without
 * waiting.
 */
const GROWTH = [3, 2];

/**
 * How much a share may have in flight of what others may need at any time, such as sockets.
 * @param kept of what is left, for shares that have nothing in flight
 */
export function growingShare(
  { level, inFlight }: Pick<Share, 'level' | 'inFlight'>,
  left: number,
  kept = 0,
): number {
  const open = inFlight === 0 ? left : left - kept;
  return open > 0 ? (GROWTH[level] ?? Infinity) * open : 0;
}

/** However many networks hold sockets of an operation, eight more find one free where there are 128. */
const KEPT_SHARE = 1 / 16;

/**
 * Divides a number of sockets, so that neither one party nor one slow operation takes all of them:
 * - An operation may take a socket only while it holds fewer than are free. One slow operation ends up with half of
 *   them, two with a third each, and another one always finds some free.
 * - Within an operation, so do networks and the accounts of a network, and the last few are for those that hold none.
 * - A session, the finest level of a party, holds at most `perSession`, over all operations.
 *
 * The operation with the fewest sockets is served first, and of its parties the one that a {@link FairQueue} says: an
 * operation is the coarsest level of those that it serves.
 */
export class Bulkhead {
  readonly #perSession: number;
  /** Of each operation, for networks and accounts that hold none. */
  readonly #kept: number;
  readonly #queue: FairQueue<() => void>;
  /** Sockets held, by session. */
  readonly #sessions = new Map<string, number>();
  #free: number;

  constructor(sockets: number, perSession: number) {
    this.#queue = new FairQueue({ most: this.#most });
    this.#free = sockets;
    this.#kept = Math.floor(sockets * KEPT_SHARE);
    this.#perSession = perSession;
  }

  /**
   * Takes a socket, now or later.
   * @returns how to return it, or a promise of that, which rejects with the reason of the call's signal when that
   * aborts
   * @throws what ended the call, if it would have to wait and has no time left
   */
  enter({ operation, party }: SlotUser, waiter: Waiter): Leave | Promise<Leave> {
    const queue = this.#queue;
    const user = [operation, ...party];
    const end = queue.tryBegin(user);
    if (end !== undefined) return this.#take(user, end);
    waiter.requireTime();
    const { signal } = waiter;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        leaveLine();
        reject(signal.reason as Error);
      };
      const leaveLine = queue.add(user, () => {
        // One that took it, failed and returned it would let the next one do the same, hundreds in one go.
        if (waiter.isOver) return;
        signal.removeEventListener('abort', giveUp);
        resolve(this.#take(user, queue.begin(user)));
      });
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #take(user: Party, end: End): Leave {
    const session = user.at(-1) ?? '';
    this.#free -= 1;
    this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
    return () => {
      end();
      this.#free += 1;
      const left = (this.#sessions.get(session) ?? 1) - 1;
      if (left === 0) this.#sessions.delete(session);
      else this.#sessions.set(session, left);
      // Usually one goes on, since one socket was returned.
      while (this.#queue.waiting > 0) {
        const go = this.#queue.next();
        if (go === undefined) return;
        go();
      }
    };
  }

  readonly #most = (share: Share): number => {
    if (share.level === 0) return this.#free;
    if (share.isFinest) {
      const isFull = (this.#sessions.get(share.name) ?? 0) >= this.#perSession;
      return isFull ? 0 : Infinity;
    }
    let operation = share;
    while (operation.level > 0 && operation.parent !== undefined) operation = operation.parent;
    // Each socket that the operation takes is one more that it holds and one less that is free.
    const left = Math.ceil((this.#free - operation.inFlight) / 2);
    return growingShare({ level: share.level - 1, inFlight: share.inFlight }, left, this.#kept);
  };
}
