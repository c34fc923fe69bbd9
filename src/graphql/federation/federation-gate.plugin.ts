import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { type GraphQLContext } from '../graphql-context.js';
import { FederationAccess } from './federation-access.service.js';
import { FEDERATION_SECRET_HEADER } from './federation-gate.js';

/**
 * Calls {@link FederationAccess} before every execution. Guards and interceptors never run for the federation
 * fields.
 */
@Plugin()
export class FederationGatePlugin implements ApolloServerPlugin<GraphQLContext> {
  constructor(private readonly access: FederationAccess) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      didResolveOperation: ({ schema, document, operation, request: { http, variables = {} } }) => {
        const secret = http?.headers.get(FEDERATION_SECRET_HEADER);
        this.access.check({ schema, document, operation, variables }, secret);
        return Promise.resolve();
      },
    });
  }
}
