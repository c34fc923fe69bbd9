import { type ApolloServerPlugin, type BaseContext, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Inject } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { ERROR_CODES } from '../errors/error-codes.js';
import { MetricsRegistry } from './metrics-registry.js';

/** Counts GraphQL operations by their result: the HTTP status of most is 200. */
@Plugin()
export class GraphQLMetricsPlugin implements ApolloServerPlugin {
  readonly #operations: Counter | undefined;

  constructor(@Inject(MetricsRegistry) registry: Registry | undefined) {
    if (registry === undefined) return;
    this.#operations = new Counter({
      name: 'portico_graphql_operations_total',
      help: 'Operations by kind and the code of their first error; `OK` without an error.',
      labelNames: ['operation', 'code'],
      registers: [registry],
    });
    // An increase is seen only of what has been there before.
    for (const operation of ['query', 'mutation']) {
      this.#operations.inc({ operation, code: 'INTERNAL_SERVER_ERROR' }, 0);
    }
  }

  requestDidStart(): Promise<GraphQLRequestListener<BaseContext>> {
    return Promise.resolve({
      willSendResponse: ({ operation, response: { body } }) => {
        const errors = body.kind === 'single' ? body.singleResult.errors : body.initialResult.errors;
        const code = errors?.[0] === undefined ? 'OK' : String(errors[0].extensions?.code);
        this.#operations?.inc({
          operation: operation?.operation ?? 'none',
          code: code === 'OK' || Object.hasOwn(ERROR_CODES, code) ? code : 'other',
        });
        return Promise.resolve();
      },
    });
  }
}
