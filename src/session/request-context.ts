import { type HandleTransport, type PresentedHandle } from './handle.js';
import { type OpenSession } from './open-sessions.js';
import { type PeekedRecord } from './store/session-store.js';

/**
 * What the answer does with the caller's cookie. At most one `Set-Cookie` is sent. A cookie is cleared if the caller
 * has `ended` its session, or if it is `useless`: it opens nothing.
 */
export type CookieChange = NewCookie | 'ended' | 'useless';

/** A handle, and in how many seconds it expires. */
interface NewCookie {
  readonly handle: string;
  readonly seconds: number;
}

/** What is known about a session without asking the platform. Times are in milliseconds since the epoch. */
export interface KnownSession extends Pick<PeekedRecord, 'expiresAt' | 'idleExpiresAt' | 'platformUse'> {
  /** When it was looked up, by the clock of the store, as all of these times. */
  readonly at: number;
  readonly transport: HandleTransport;
  /** Undefined for a session from an earlier version. */
  readonly startedAt: number | undefined;
  /** The credential profile that opened it. */
  readonly profile: string | undefined;
}

/** One GraphQL request, as the layers below the edge see it. */
export interface RequestContext {
  readonly requestId: string;
  /** The caller's address, as reported by the trusted proxies. */
  readonly clientAddress: string;
  /** What counts as one caller: an IPv4 address, or the first 64 bits of an IPv6 address. */
  readonly network: string;
  /** Aborted when the caller hangs up before the answer has been sent. */
  readonly signal: AbortSignal;
  presented: PresentedHandle | undefined;
  /** Whether the request has a bearer token that cannot be a handle, so it belongs to something else. */
  readonly foreignBearer?: boolean;
  /** Whether it comes from the router of a graph, for which one operation of a caller is several requests. */
  readonly isRouter?: boolean;
  /** Whether a browser sent the request for a page of another site, from which it never sends the cookie. */
  readonly crossSite?: boolean;
  /**
   * Counts the search or the sorting of a list before it is done. Wait for what it returns: much of it takes turns
   * with others.
   *
   * @param entries of the list.
   */
  readonly search?: (entries: number) => Promise<void> | undefined;
  /** Called before a large response of the platform is read and parsed: the answer waits for its turn. */
  readonly onLarge?: () => Promise<void>;
  /** The session of this request, opened once for all of its fields. */
  open?: Promise<OpenSession>;
  /** What is known about that session, looked up once. */
  known?: Promise<KnownSession | undefined>;
  cookie?: CookieChange;
}
