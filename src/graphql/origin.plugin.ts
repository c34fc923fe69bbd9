import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { OperationTypeNode } from 'graphql';
import { Settings } from '../config/settings.js';
import { type GraphQLContext, type RequestOrigin } from './graphql-context.js';
import { refusedRequest, ServiceError } from '../errors/service-error.js';

const FORBIDDEN = 403;

/** Refuses mutations that a page of a foreign origin makes a browser send. */
@Plugin()
export class OriginPlugin implements ApolloServerPlugin<GraphQLContext> {
  constructor(private readonly settings: Settings) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      didResolveOperation: ({ operation, contextValue }) => {
        if (operation?.operation !== OperationTypeNode.MUTATION) return Promise.resolve();
        if (mayMutate(contextValue.origin, this.settings.CORS_ORIGINS)) return Promise.resolve();
        const error = new ServiceError(
          'FORBIDDEN',
          'A mutation from a browser or with a cookie needs an allowed Origin; send one, or use a bearer handle',
          { reason: 'ORIGIN_NOT_ALLOWED' },
        );
        return Promise.reject(refusedRequest(error, FORBIDDEN));
      },
    });
  }
}

/**
 * Whether a request may run a mutation. A cookie identifies the browser, not the page, so the page must have an
 * allowed origin. A request with neither cookie, `Origin` nor `Sec-Fetch-Site` does not come from a browser, and a
 * bearer handle comes only from a page that knows it.
 *
 * @param allowed exact origins.
 */
export function mayMutate(request: RequestOrigin, allowed: readonly string[]): boolean {
  if (request.transport === 'bearer') return true;
  if (request.origin !== undefined && allowed.includes(request.origin)) return true;
  if (request.fetchSite === 'same-origin') return true;
  // Older browsers, and all of them over plain http, do not send Sec-Fetch-Site.
  if (request.fetchSite === undefined && request.origin === request.self) return true;
  return !request.withCookie && request.origin === undefined && request.fetchSite === undefined;
}
