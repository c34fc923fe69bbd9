import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { OperationTypeNode } from 'graphql';
import { Settings } from '../config/settings.js';
import { type GraphQLContext } from './graphql-context.js';
import { mayMutate } from './request-origin.js';
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
