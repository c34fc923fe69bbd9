import { LRUCache } from 'lru-cache';
import { GUEST, type Party } from 'portico/client';
import { keyOf } from './handle.js';
import { type PresentedHandle } from './request-context.js';

/** Only hashes are kept, about 5 MB in all. */
const MOST_KNOWN = 20_000;

/** Where a request comes from: all that is known of a caller without a session. */
interface Origin {
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  readonly network: string;
  readonly presented: PresentedHandle | undefined;
}

/**
 * The sessions that began here or were found lately, by store key, each with its account. A handle with any other key
 * may be made up.
 */
export class KnownSessions {
  readonly #accounts = new LRUCache<string, string>({ max: MOST_KNOWN });

  /** @param account undefined for a guest and a delegated session. */
  add(key: string, account: string | undefined): void {
    this.#accounts.set(key, account ?? GUEST);
  }

  /**
   * Who a request counts for: its network, the account of its session, its session. A request without a known session
   * counts with all others of its network, as a guest: otherwise a caller who makes up handles could be any number of
   * parties.
   */
  partyOf({ network, presented }: Origin): Party {
    const key = presented && keyOf(presented);
    // So that a session in use is not the next one to be forgotten.
    const account = key === undefined ? undefined : this.#accounts.get(key);
    return key === undefined || account === undefined ? strangerOf(network) : [network, account, key];
  }
}

/** The last level of all requests of a network that have no known session. */
const NO_SESSION = 'none';

/** Whether the last level of a party is that of requests without a known session. */
export function isStranger(session: string): boolean {
  return session === NO_SESSION;
}

/** The party of requests from a network without a known session. */
export function strangerOf(network: string): Party {
  return [network, GUEST, NO_SESSION];
}

/** The party of a session that is open. */
export function sessionParty(
  network: string,
  { account, key }: { readonly account: string | undefined; readonly key: string },
): Party {
  return [network, account ?? GUEST, key];
}
