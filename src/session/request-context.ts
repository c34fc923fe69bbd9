import { type OpenSession } from './open-session.js';
import { type HandleTransport, type KnownSession } from './session-record.js';

/** The handle that a request brought, and how. */
export interface PresentedHandle {
  readonly handle: string;
  readonly transport: HandleTransport;
}

/** What the answer shall do with the caller's cookie: at most one `Set-Cookie` is sent. */
export type CookieChange = { readonly handle: string; readonly expiresAt: number } | 'clear';

/** One GraphQL request, as the layers below the edge see it. */
export interface RequestContext {
  readonly requestId: string;
  /** Where the request comes from, as far as the proxies in between are trusted. */
  readonly clientAddress: string;
  /** Aborted when the caller hangs up before the answer has been sent. */
  readonly signal: AbortSignal;
  presented: PresentedHandle | undefined;
  /** Whether a bearer token came that cannot be a handle: it is somebody else's. */
  readonly foreignBearer?: boolean;
  /** Whether a browser sent the request for a page of another site, to which it never sends the cookie back. */
  readonly crossSite?: boolean;
  /** The session of this request, opened once however many fields ask for it. */
  open?: Promise<OpenSession>;
  /** What is known of that session, looked up once. */
  known?: Promise<KnownSession | undefined>;
  cookie?: CookieChange;
}
