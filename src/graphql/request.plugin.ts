import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Logger } from '@nestjs/common';
import { type GraphQLContext } from './graphql-context.js';
import { setCookieHeader } from './session-cookie.js';
import { isUnforeseen } from './to-graphql-error.js';

const SERVICE_UNAVAILABLE = 503;

/** What every GraphQL answer has, whatever was asked: the request id in its errors, no caching, at most one cookie. */
@Plugin()
export class RequestPlugin implements ApolloServerPlugin<GraphQLContext> {
  private readonly logger = new Logger('GraphQL');

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      willSendResponse: ({ contextValue, response, errors: thrown }) => {
        const { http, body } = response;
        http.headers.set('cache-control', 'private, no-store');
        if (contextValue.cookie !== undefined) {
          http.headers.set('set-cookie', setCookieHeader(contextValue.sessionCookie, contextValue.cookie));
        }
        if (body.kind !== 'single') return Promise.resolve();
        body.singleResult.errors?.forEach((error, index) => {
          Object.assign(error.extensions ?? {}, { requestId: contextValue.requestId });
          if (isUnforeseen(error)) this.logger.error(thrown?.[index]?.originalError ?? thrown?.[index]);
          const { code, retryAfter } = error.extensions ?? {};
          if (code === 'SESSION_STORE_UNAVAILABLE') {
            http.status = SERVICE_UNAVAILABLE;
            http.headers.set('retry-after', String(retryAfter));
          }
        });
        return Promise.resolve();
      },
    });
  }
}
