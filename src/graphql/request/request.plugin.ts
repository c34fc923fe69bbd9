import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Logger } from '@nestjs/common';
import { OperationTypeNode } from 'graphql';
import { Settings } from '../../config/settings.js';
import { answerStatus } from '../errors/answer-status.js';
import { type GraphQLContext } from './graphql-context.js';
import { setCookieHeader } from '../../http/caller/session-cookie.js';
import { errorLine } from './error-line.js';
import { isFault } from '../errors/error-severity.js';
import { isUnforeseen } from '../errors/to-graphql-error.js';

/** Completes each answer: status, no caching, at most one cookie, `Retry-After`, and a log line for unexpected errors. */
@Plugin()
export class RequestPlugin implements ApolloServerPlugin<GraphQLContext> {
  readonly #logger = new Logger('GraphQL');
  #hasWarned = false;

  constructor(private readonly settings: Settings) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      willSendResponse: ({ request, operation, contextValue, response, errors: thrown }) => {
        const { http, body } = response;
        contextValue.answer?.sending();
        // Handles and tokens are in the answers of mutations alone: their length must tell nothing of them.
        if (operation?.operation === OperationTypeNode.QUERY) contextValue.allowCompression();
        http.headers.set('cache-control', 'private, no-store');
        if (contextValue.cookie !== undefined) {
          if (!contextValue.sessionCookie.secure) this.#warnOfPlainCookies();
          http.headers.set('set-cookie', setCookieHeader(contextValue.sessionCookie, contextValue.cookie));
        }
        if (body.kind !== 'single') return Promise.resolve();
        const errors = body.singleResult.errors ?? [];
        errors.forEach((error, index) => {
          if (isUnforeseen(error)) this.#logger.error(thrown?.[index]?.originalError ?? thrown?.[index]);
          const retryAfter = error.extensions?.retryAfter;
          if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
        });
        if (errors.length > 0) {
          const line = errorLine(errors, operation);
          if (errors.some(({ extensions }) => isFault(extensions?.code))) this.#logger.warn(line);
          else this.#logger.log(line);
          http.status = answerStatus(http.status, errors, request.http?.headers.get('accept'));
        }
        return Promise.resolve();
      },
    });
  }

  #warnOfPlainCookies(): void {
    if (!this.settings.production || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn(
      'Session cookies are set without Secure: requests seem to arrive over plain http. Behind a TLS proxy, set TRUSTED_PROXIES.',
    );
  }
}
