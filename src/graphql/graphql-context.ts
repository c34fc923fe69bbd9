import { type RequestContext } from '../session/request-context.js';
import { presentedHandle } from './presented-handle.js';
import { type SessionCookie, sessionCookie } from './session-cookie.js';

/** The request of the HTTP server, as far as the facade looks at it. */
export interface HttpRequest {
  readonly id: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A {@link RequestContext} with what only the edge needs: how to answer with a cookie. */
export interface GraphQLContext extends RequestContext {
  readonly sessionCookie: SessionCookie;
}

/** Makes the context of each request. It asks nobody, so it cannot fail. */
export function graphQLContext(sessionHeader: string): (request: HttpRequest) => GraphQLContext {
  const headerName = sessionHeader.toLowerCase();
  return (request) => {
    const cookie = sessionCookie(request.protocol, request.hostname);
    return {
      requestId: request.id,
      sessionCookie: cookie,
      presented: presentedHandle(request, headerName, cookie.name),
    };
  };
}
