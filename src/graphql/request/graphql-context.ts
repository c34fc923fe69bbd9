import { type RequestContext } from '../../session/request-context.js';
import { type AnswerStream, hangUpSignal } from './hang-up-signal.js';
import { type AnswerInMaking } from '../answer/answer-in-making.js';
import { hasCookie, presentedHandle } from './presented-handle.js';
import { type RequestOrigin } from './request-origin.js';
import { type SessionCookie, sessionCookie } from './session-cookie.js';

/** The parts of the HTTP request that the facade uses. */
export interface HttpRequest {
  readonly id: string;
  /** The caller's address, behind the trusted number of proxies. */
  readonly ip: string;
  readonly protocol: string;
  readonly hostname: string;
  /** `hostname` and, unless it is the default one, the port. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A {@link RequestContext} with what only the edge needs: how to set a cookie, and where the request comes from. */
export interface GraphQLContext extends RequestContext {
  readonly sessionCookie: SessionCookie;
  readonly origin: RequestOrigin;
  /** What the answer holds so far; made with the first value that counts. */
  answer?: AnswerInMaking;
}

/** The part of the HTTP answer that the facade uses. */
export interface HttpReply {
  readonly raw: AnswerStream;
}

/** Makes the context of each request. It calls nothing, so it cannot fail. */
export function graphQLContext(
  sessionHeader: string,
): (request: HttpRequest, reply: HttpReply) => GraphQLContext {
  const headerName = sessionHeader.toLowerCase();
  return (request, reply) => {
    const { headers } = request;
    const cookie = sessionCookie(request.protocol, request.hostname);
    const presented = presentedHandle(request, headerName, cookie.name);
    return {
      requestId: request.id,
      clientAddress: request.ip,
      get signal() {
        return hangUpSignal(reply.raw);
      },
      sessionCookie: cookie,
      presented,
      origin: {
        withCookie: hasCookie(headers.cookie, cookie.name),
        transport: presented?.transport,
        self: `${request.protocol}://${request.host.toLowerCase()}`,
        origin: single(headers.origin),
        fetchSite: single(headers['sec-fetch-site']),
      },
    };
  };
}

/** Aborted when the connection closes before the answer has been sent. */
function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header;
}
