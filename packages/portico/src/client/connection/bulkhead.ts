/** Who a call is made for: a token, or an object that stands for a session without one. Compared by identity. */
export type Party = string | object;

/** What a call needs a socket for. */
export interface SlotUser {
  readonly party: Party;
  /** Method and path, with ids left out. */
  readonly operation: string;
}

/**
 * Divides a number of sockets, so that neither one party nor one slow operation takes all of them:
 * - A party holds at most `perParty`. More of its calls wait in a queue of their own.
 * - An operation may take a socket only while it holds fewer than are free. One slow operation ends up with half of them, two
 *   with a third each, and another one always finds some free.
 *
 * Waiting calls are served in turn: parties first come, first served, and the operation with the fewest sockets first.
 */
export class Bulkhead {
  #free: number;
  readonly #perParty: number;
  /** Sockets held, by operation. */
  readonly #held = new Map<string, number>();
  readonly #parties = new Map<Party, PartyCalls>();
  /** Calls that wait for their operation, by operation. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(sockets: number, perParty: number) {
    this.#free = sockets;
    this.#perParty = perParty;
  }

  /**
   * Takes a socket, now or later. It is returned with {@link leave}.
   * @returns undefined when it was free; otherwise a promise that rejects with the signal's reason when that aborts
   */
  enter(user: SlotUser, signal: AbortSignal): Promise<void> | undefined {
    const calls = this.#callsOf(user.party);
    if (calls.admitted >= this.#perParty) return this.#wait(user, signal, calls.waiting);
    calls.admitted += 1;
    if (this.#take(user.operation)) return undefined;
    return this.#wait(user, signal, this.#waitingFor(user.operation));
  }

  leave({ party, operation }: SlotUser): void {
    const held = (this.#held.get(operation) ?? 1) - 1;
    if (held === 0) this.#held.delete(operation);
    else this.#held.set(operation, held);
    this.#free += 1;
    this.#dismiss(party);
    this.#serve();
  }

  #take(operation: string): boolean {
    const held = this.#held.get(operation) ?? 0;
    if (held >= this.#free) return false;
    this.#held.set(operation, held + 1);
    this.#free -= 1;
    return true;
  }

  /** Admits the waiting calls that may go now: usually one, since one socket was returned. */
  #serve(): void {
    for (;;) {
      let operation: string | undefined;
      let least = this.#free;
      for (const waitedFor of this.#waiting.keys()) {
        const held = this.#held.get(waitedFor) ?? 0;
        if (held >= least) continue;
        least = held;
        operation = waitedFor;
      }
      if (operation === undefined) return;
      const [next] = this.#waitingFor(operation);
      if (next === undefined) return;
      this.#stopWaiting(next);
      this.#take(operation);
      next.resolve();
    }
  }

  /** One call of a party has ended, so its next one waits at most for its operation. */
  #dismiss(party: Party): void {
    const calls = this.#callsOf(party);
    const [next] = calls.waiting;
    if (next === undefined) {
      calls.admitted -= 1;
      if (calls.admitted === 0) this.#parties.delete(party);
      return;
    }
    calls.waiting.delete(next);
    next.queue = this.#waitingFor(next.user.operation);
    next.queue.add(next);
  }

  #wait(user: SlotUser, signal: AbortSignal, queue: Set<Waiter>): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const isAdmitted = waiter.queue !== this.#parties.get(user.party)?.waiting;
        this.#stopWaiting(waiter);
        if (isAdmitted) {
          this.#dismiss(user.party);
          this.#serve();
        }
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        user,
        queue,
        resolve: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      queue.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #stopWaiting(waiter: Waiter): void {
    const { operation } = waiter.user;
    waiter.queue.delete(waiter);
    if (this.#waiting.get(operation)?.size === 0) this.#waiting.delete(operation);
  }

  #waitingFor(operation: string): Set<Waiter> {
    const queue = this.#waiting.get(operation) ?? new Set();
    this.#waiting.set(operation, queue);
    return queue;
  }

  #callsOf(party: Party): PartyCalls {
    let calls = this.#parties.get(party);
    if (calls === undefined) {
      calls = { admitted: 0, waiting: new Set() };
      this.#parties.set(party, calls);
    }
    return calls;
  }
}

interface PartyCalls {
  /** Calls that hold a socket or wait for their operation. */
  admitted: number;
  /** Calls that wait for one of these to end. */
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  readonly user: SlotUser;
  /** Where it waits now. */
  queue: Set<Waiter>;
  readonly resolve: () => void;
}
