import { FairQueue, growingShare, type Party, type Share } from './fair-queue.js';

/** What a call needs a socket for. */
export interface SlotUser {
  readonly party: Party;
  /** Method and path, with ids left out. */
  readonly operation: string;
}

/** Returns a socket. */
export type Leave = () => void;

/**
 * Divides a number of sockets, so that neither one party nor one slow operation takes all of them:
 * - An operation may take a socket only while it holds fewer than are free. One slow operation ends up with half of
 * them, two
 *   with a third each, and another one always finds some free.
 * - Within an operation, so do networks and the accounts of a network.
 * - A session, the finest level of a party, holds at most `perSession`, over all operations.
 *
 * The operation with the fewest sockets is served first, and of its parties the one that a {@link FairQueue} says.
 */
export class Bulkhead {
  readonly #perSession: number;
  readonly #operations = new Map<string, Operation>();
  /** Sockets held, by session. */
  readonly #sessions = new Map<string, number>();
  #free: number;

  constructor(sockets: number, perSession: number) {
    this.#free = sockets;
    this.#perSession = perSession;
  }

  /**
   * Takes a socket, now or later.
   * @returns how to return it, or a promise of that, which rejects with the signal's reason when that aborts
   */
  enter(user: SlotUser, signal: AbortSignal): Leave | Promise<Leave> {
    const queue = this.#queueOf(user.operation);
    if (this.#maySend(queue) && queue.mayBegin(user.party)) return this.#take(user, queue);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        leaveLine();
        this.#forgetIdle(user.operation, queue);
        reject(signal.reason as Error);
      };
      const leaveLine = queue.add(user.party, () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#take(user, queue));
      });
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #maySend(queue: Operation): boolean {
    return queue.inFlight < this.#free;
  }

  #take({ party, operation }: SlotUser, queue: Operation): Leave {
    const session = party.at(-1) ?? '';
    const end = queue.begin(party);
    this.#free -= 1;
    this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
    return () => {
      end();
      this.#free += 1;
      const left = (this.#sessions.get(session) ?? 1) - 1;
      if (left === 0) this.#sessions.delete(session);
      else this.#sessions.set(session, left);
      this.#serve();
      this.#forgetIdle(operation, queue);
    };
  }

  /** Lets the waiting calls go that may go now: usually one, since one socket was returned. */
  #serve(): void {
    const passed = new Set<Operation>();
    for (;;) {
      let fewest: Operation | undefined;
      for (const queue of this.#operations.values()) {
        if (queue.waiting === 0 || passed.has(queue) || !this.#maySend(queue)) continue;
        if (fewest === undefined || queue.inFlight < fewest.inFlight) fewest = queue;
      }
      if (fewest === undefined) return;
      const go = fewest.next();
      if (go === undefined) passed.add(fewest);
      else go();
    }
  }

  #queueOf(operation: string): Operation {
    const known = this.#operations.get(operation);
    if (known !== undefined) return known;
    const queue: Operation = new FairQueue({ most: (share) => this.#most(share, queue) });
    this.#operations.set(operation, queue);
    return queue;
  }

  #most(share: Share, queue: Operation): number {
    if (share.isFinest) {
      const isFull = (this.#sessions.get(share.name) ?? 0) >= this.#perSession;
      return isFull ? 0 : Infinity;
    }
    // Each socket that the operation takes is one more that it holds and one less that is free.
    const left = Math.ceil((this.#free - queue.inFlight) / 2);
    return growingShare(share, left);
  }

  #forgetIdle(operation: string, queue: Operation): void {
    if (queue.inFlight === 0 && queue.waiting === 0) this.#operations.delete(operation);
  }
}

/** Sockets of one operation, and the calls that wait for one. */
type Operation = FairQueue<() => void>;
