import { type Caller } from '../http/caller.js';
import { type SessionCookie } from '../http/session-cookie.js';
import { type RequestContext } from '../session/request-context.js';
import { type AnswerStream, hangUpSignal } from './hang-up-signal.js';
import { type AnswerInMaking } from './answer-in-making.js';
import { type RequestOrigin } from './request-origin.js';

/** The parts of the HTTP request that the facade uses. */
export interface HttpRequest {
  readonly id: string;
  /** The caller, as read from the headers. */
  readonly caller: Caller;
  /** How the request was admitted. */
  readonly slot: { readonly isReserved: boolean };
}

/** A {@link RequestContext} with what only the edge needs: how to set a cookie, and where the request comes from. */
export interface GraphQLContext extends RequestContext {
  readonly req: HttpRequest;
  readonly sessionCookie: SessionCookie;
  readonly origin: RequestOrigin;
  /** What the answer holds so far; created with the first value that counts. */
  answer?: AnswerInMaking;
  /** Allows the answer to be compressed. */
  readonly allowCompression: () => void;
  /** Whether the request was admitted only because it may be a logout. */
  readonly hasReservedPlace: boolean;
}

/** The part of the HTTP answer that the facade uses. */
export interface HttpReply {
  readonly raw: AnswerStream;
  mayBeCompressed: boolean;
}

/** Creates the context of each request. It calls nothing, so it cannot fail. */
export function graphQLContext(req: HttpRequest, reply: HttpReply): GraphQLContext {
  const { presented, foreignBearer, withCookie, sessionCookie, service, origin, fetchSite } = req.caller;
  return Object.assign(new ConnectedContext(req, reply.raw), {
    requestId: req.id,
    clientAddress: req.caller.address,
    sessionCookie,
    presented,
    foreignBearer,
    hasReservedPlace: req.slot.isReserved,
    allowCompression: () => {
      reply.mayBeCompressed = true;
    },
    crossSite: fetchSite === 'cross-site',
    // A value that cannot be a handle opens nothing.
    ...(withCookie && presented === undefined && { cookie: 'clear' as const }),
    origin: { withCookie, transport: presented?.transport, self: service.origin, origin, fetchSite },
  });
}

/**
 * Apollo copies the context of each request, and with it the values of its getters, but not those of its prototype: so the
 * signal is made only for a request that has something to abort.
 */
class ConnectedContext {
  /** With it, Nest uses the context as it is; without it, Nest would make a copy. */
  readonly req: HttpRequest;
  readonly connection: AnswerStream;

  constructor(req: HttpRequest, connection: AnswerStream) {
    this.req = req;
    this.connection = connection;
  }

  get signal(): AbortSignal {
    return hangUpSignal(this.connection);
  }
}
