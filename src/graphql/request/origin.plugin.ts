import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { OperationTypeNode } from 'graphql';
import { Settings } from '../../config/settings.js';
import { type GraphQLContext } from './graphql-context.js';
import { RefusedRequestError } from '../errors/refused-request-error.js';
import { mayChange } from './request-origin.js';

const FORBIDDEN = 403;

/** Refuses mutations that a foreign page has a browser send. */
@Plugin()
export class OriginPlugin implements ApolloServerPlugin<GraphQLContext> {
  constructor(private readonly settings: Settings) {}

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      didResolveOperation: ({ operation, contextValue }) => {
        if (operation?.operation !== OperationTypeNode.MUTATION) return Promise.resolve();
        if (mayChange(contextValue.origin, this.settings.CORS_ORIGINS)) return Promise.resolve();
        return Promise.reject(
          new RefusedRequestError(
            'With a cookie, or from a page, a mutation needs an Origin that is allowed; send that, or a bearer handle',
            FORBIDDEN,
            'FORBIDDEN',
            'ORIGIN_NOT_ALLOWED',
          ),
        );
      },
    });
  }
}
