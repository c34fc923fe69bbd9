import { type HandleTransport } from './handle.js';
import { type OpenSession } from './open-session.js';
import { type PeekedRecord } from './store/session-store.js';

/** The handle of a request, and how it was sent. */
export interface PresentedHandle {
  readonly handle: string;
  readonly transport: HandleTransport;
  /** Its store key, once `keyOf` has computed it. */
  key?: string;
}

/** What the answer does with the caller's cookie. At most one `Set-Cookie` is sent. */
export type CookieChange = { readonly handle: string; readonly expiresAt: number } | 'clear';

/** What is known about a session without asking the platform. Times are in milliseconds since the epoch. */
export interface KnownSession extends Pick<PeekedRecord, 'expiresAt' | 'idleExpiresAt' | 'platformUse'> {
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
  /** Whether a browser sent the request for a page of another site. The browser never sends the cookie from there. */
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
