import { allowCompression } from '../../answers/compressible-answers.js';
import { type Caller } from '../../http/caller/caller.js';
import { type SessionCookie } from '../../http/caller/session-cookie.js';
import { type RequestContext } from '../../session/request-context.js';
import { type AnswerStream, hangUpSignal } from './hang-up-signal.js';
import { type AnswerInMaking } from '../answer/answer-in-making.js';
import { type RequestOrigin } from './request-origin.js';

/** The parts of the HTTP request that the facade uses. */
export interface HttpRequest {
  readonly id: string;
  /** Who calls, as the one reader of headers has it. */
  readonly caller: Caller;
  /** How the request was let in. */
  readonly passage: { readonly isReserved: boolean };
}

/** A {@link RequestContext} with what only the edge needs: how to set a cookie, and where the request comes from. */
export interface GraphQLContext extends RequestContext {
  readonly sessionCookie: SessionCookie;
  readonly origin: RequestOrigin;
  /** What the answer holds so far; made with the first value that counts. */
  answer?: AnswerInMaking;
  /** Allows the answer to be compressed. */
  readonly allowCompression: () => void;
  /** Whether the request was let in only because it may be a logout. */
  readonly hasReservedPlace: boolean;
}

/** The part of the HTTP answer that the facade uses. */
export interface HttpReply {
  readonly raw: AnswerStream;
}

/** Makes the context of each request. It calls nothing, so it cannot fail. */
export function graphQLContext({ id, caller, passage }: HttpRequest, reply: HttpReply): GraphQLContext {
  const { presented, foreignBearer, withCookie, sessionCookie, service, origin, fetchSite } = caller;
  return {
    requestId: id,
    clientAddress: caller.address,
    get signal() {
      return hangUpSignal(reply.raw);
    },
    sessionCookie,
    presented,
    foreignBearer,
    hasReservedPlace: passage.isReserved,
    allowCompression: () => {
      allowCompression(reply.raw);
    },
    crossSite: fetchSite === 'cross-site',
    // One that cannot be a handle is dead already.
    ...(withCookie && presented === undefined && { cookie: 'clear' as const }),
    origin: { withCookie, transport: presented?.transport, self: service.origin, origin, fetchSite },
  };
}
