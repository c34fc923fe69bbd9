import { type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { type ExecutionResult, type GraphQLFormattedError, type OperationDefinitionNode } from 'graphql';
import { ErrorFormat } from '../errors/error-format.js';
import { type GraphQLContext } from '../request/graphql-context.js';
import { CompiledQueries } from './compiled-queries.js';

/**
 * Answers frequent queries by compiled code. Apollo does not change such an answer, so its errors are mapped here, by the same
 * function that Apollo calls for all others.
 */
@Plugin()
export class CompiledExecutionPlugin implements ApolloServerPlugin<GraphQLContext> {
  readonly #queries = new CompiledQueries();

  constructor(private readonly errors: ErrorFormat) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      responseForOperation: async (request) => {
        const { schema, document, contextValue } = request;
        // Despite its type, there is no operation if the request does not say which one it means. GraphQL reports that.
        const operation = request.operation as OperationDefinitionNode | undefined;
        if (operation === undefined) return null;
        const { variables = {} } = request.request;
        const result = await this.#queries.execute({ schema, document, operation, contextValue, variables });
        if (result === undefined) return null;
        // Listeners find the thrown errors where Apollo puts those of its own executions.
        if (result.errors) Object.assign(request, { errors: result.errors });
        return {
          http: { status: undefined, headers: new HeaderMap() },
          body: { kind: 'single', singleResult: { data: result.data, errors: this.#formatted(result) } },
        };
      },
    });
  }

  #formatted({ errors }: ExecutionResult): GraphQLFormattedError[] | undefined {
    return errors?.map((error) => {
      const { message, path, locations } = error;
      return this.errors.format({ message, path, locations }, error);
    });
  }
}
