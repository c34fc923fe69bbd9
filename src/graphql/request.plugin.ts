import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { AnswerCompletion } from './answer-completion.service.js';
import { type GraphQLContext } from './graphql-context.js';

/** Completes the answers that Apollo gives. */
@Plugin()
export class RequestPlugin implements ApolloServerPlugin<GraphQLContext> {
  constructor(private readonly completion: AnswerCompletion) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      willSendResponse: ({ request, operation, contextValue, response: { http, body }, errors: thrown }) => {
        const { errors = [] } = body.kind === 'single' ? body.singleResult : body.initialResult;
        const accept = request.http?.headers.get('accept');
        this.completion.complete({ contextValue, operation, accept, errors, thrown }, http);
        return Promise.resolve();
      },
    });
  }
}
