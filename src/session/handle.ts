import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GUEST, type Party } from 'portico/internal';

const HANDLE_BYTES = 32;
/** 32 bytes are 43 characters of base64url; the last one holds only four bits. */
const HANDLE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** How the caller sends the handle. A handle is accepted only by the transport that it was issued for. */
export type HandleTransport = 'cookie' | 'bearer';

/** The handle of a request, and how it was sent. */
export interface PresentedHandle {
  readonly handle: string;
  readonly transport: HandleTransport;
  /** Its store key, once `keyOf` has computed it. */
  key?: string;
}

/** A new handle: 32 random bytes as base64url. It is all that a caller ever receives. */
export function newHandle(): string {
  return randomBytes(HANDLE_BYTES).toString('base64url');
}

/** Whether a string can be a handle. The store is not asked about anything else. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text);
}

/** The key under which a session is stored. It does not open the session. */
export function storeKey(handle: string): string {
  return hash('sha256', handle);
}

const PUBLIC_ID_CHARACTERS = 16;

/**
 * Names a session for people: the same in the audit log and for operators, and useless to a reader who wants to use
 * the session.
 */
export function publicSessionId(storeKey: string): string {
  return hash('sha256', `portico audit session:${storeKey}`).slice(0, PUBLIC_ID_CHARACTERS);
}

/** The store key of the handle of a request. It is computed once for each request, since several places need it. */
export function keyOf(presented: Pick<PresentedHandle, 'handle' | 'key'>): string {
  return (presented.key ??= storeKey(presented.handle));
}

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
