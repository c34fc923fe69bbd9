import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Logger } from '@nestjs/common';
import { answerStatus } from './answer-status.js';
import { type GraphQLContext } from './graphql-context.js';
import { setCookieHeader } from './session-cookie.js';
import { isUnforeseen } from './to-graphql-error.js';

/** What follows from how a request went: status, no caching, at most one cookie, when to come again, a line in the log. */
@Plugin()
export class RequestPlugin implements ApolloServerPlugin<GraphQLContext> {
  private readonly logger = new Logger('GraphQL');

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      willSendResponse: ({ request, contextValue, response, errors: thrown }) => {
        const { http, body } = response;
        http.headers.set('cache-control', 'private, no-store');
        if (contextValue.cookie !== undefined) {
          http.headers.set('set-cookie', setCookieHeader(contextValue.sessionCookie, contextValue.cookie));
        }
        if (body.kind !== 'single') return Promise.resolve();
        const errors = body.singleResult.errors ?? [];
        errors.forEach((error, index) => {
          if (isUnforeseen(error)) this.logger.error(thrown?.[index]?.originalError ?? thrown?.[index]);
          const retryAfter = error.extensions?.retryAfter;
          if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
        });
        if (errors.length > 0) {
          http.status = answerStatus(http.status, errors, request.http?.headers.get('accept'));
        }
        return Promise.resolve();
      },
    });
  }
}
