import { type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { type OperationDefinitionNode } from 'graphql';
import { type GraphQLContext } from '../graphql-context.js';
import { CompiledAnswers } from './compiled-answers.service.js';

/** Lets compiled code answer frequent queries. Apollo does not change such an answer. */
@Plugin()
export class CompiledExecutionPlugin implements ApolloServerPlugin<GraphQLContext> {
  constructor(private readonly compiled: CompiledAnswers) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      responseForOperation: async (request) => {
        const { schema, document, contextValue } = request;
        // Despite its type, there is no operation if the request does not say which one it means. GraphQL reports
        // that.
        const operation = request.operation as OperationDefinitionNode | undefined;
        if (operation === undefined) return null;
        const { variables = {} } = request.request;
        const answer = await this.compiled.answer({ schema, document, operation, contextValue, variables });
        if (answer === undefined) return null;
        const { data, errors, thrown } = answer;
        contextValue.req.executed = { schema, document, operation };
        // Listeners find the thrown errors where Apollo puts those of its own executions.
        if (thrown !== undefined) Object.assign(request, { errors: thrown });
        return {
          http: { status: undefined, headers: new HeaderMap() },
          body: { kind: 'single', singleResult: { data, errors } },
        };
      },
    });
  }
}
