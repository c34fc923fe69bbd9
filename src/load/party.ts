import { type Caller } from '../http/caller.js';
import { keyOf } from '../session/handle.js';
import { type KnownSessions } from '../session/known-sessions.js';
import { type Leave, type Party } from './fair-queue.js';

/** Callers without a session share an address with many others: an office, a router. */
const ADDRESS_SHARE = 0.25;
const NOTHING: Leave = () => undefined;

export interface PartyLimits {
  /** Requests in flight, in all. */
  readonly inFlight: number;
  /** Requests in flight of one session. */
  readonly perSession: number;
}

/**
 * Decides for whom a request counts: for its session, or for its network without one. A well-formed handle under which no
 * session was found lately may be made up, so it counts for its network as well: otherwise a caller could be any number of parties.
 */
export class Parties {
  readonly #perSession: number;
  readonly #perNetwork: number;
  readonly #known: KnownSessions;
  /** Requests in flight with unknown handles, by network. */
  readonly #unknown = new Map<string, number>();

  constructor({ inFlight, perSession }: PartyLimits, known: KnownSessions) {
    this.#perSession = perSession;
    this.#perNetwork = Math.max(1, Math.ceil(inFlight * ADDRESS_SHARE));
    this.#known = known;
  }

  of({ presented, network }: Caller): Party {
    if (presented === undefined) return { name: network, most: this.#perNetwork };
    return { name: presented.handle, most: this.#perSession };
  }

  /** Undefined if too many with unknown handles are in flight from its network; otherwise to be called when the request leaves. */
  enter({ presented, network }: Caller): Leave | undefined {
    if (presented === undefined || this.#known.has(keyOf(presented))) return NOTHING;
    const others = this.#unknown.get(network) ?? 0;
    if (others >= this.#perNetwork) return undefined;
    this.#unknown.set(network, others + 1);
    return () => {
      const left = (this.#unknown.get(network) ?? 1) - 1;
      if (left === 0) this.#unknown.delete(network);
      else this.#unknown.set(network, left);
    };
  }
}
