import { LRUCache } from 'lru-cache';
import { type Leave } from './fair-gate.js';
import { keyOf } from '../session/handle.js';
import { type Caller } from '../http/caller.js';

/** Only their hashes are kept, about 3 MB in all. */
const MOST_KNOWN = 20_000;
const NOTHING: Leave = () => undefined;

/**
 * Requests in flight whose handle is well-formed, but under which no session was found lately. Each of them may be made up, so
 * they count for the network that they come from: otherwise a caller could be as many parties as it likes.
 */
export class Strangers {
  readonly #most: number;
  /** The store keys of the sessions that began here or were found. */
  readonly #known = new LRUCache<string, true>({ max: MOST_KNOWN });
  readonly #inFlight = new Map<string, number>();

  /** @param most how many may be in flight from one network. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Tells of a session that there is. */
  meet(key: string): void {
    this.#known.set(key, true);
  }

  /** Undefined if there are too many from the caller's network; otherwise to be called when the request leaves. */
  enter({ presented, network }: Caller): Leave | undefined {
    if (presented === undefined) return NOTHING;
    const key = keyOf(presented);
    if (this.#known.get(key) !== undefined) return NOTHING;
    const others = this.#inFlight.get(network) ?? 0;
    if (others >= this.#most) return undefined;
    this.#inFlight.set(network, others + 1);
    return () => {
      if (presented.isFound === true) this.meet(key);
      const left = (this.#inFlight.get(network) ?? 1) - 1;
      if (left === 0) this.#inFlight.delete(network);
      else this.#inFlight.set(network, left);
    };
  }
}
