import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Kind } from 'graphql';
import { prefixedName } from '../config/prefixed-name.js';
import { Settings } from '../config/settings.js';
import { type GraphQLContext } from './graphql-context.js';
import { overloaded, refusedRequest } from '../errors/service-error.js';

const SERVICE_UNAVAILABLE = 503;

/**
 * Refuses a request that took a place reserved for logouts but is not one. Mentioning a logout in a document is not
 * enough.
 */
@Plugin()
export class ReservedPlacePlugin implements ApolloServerPlugin<GraphQLContext> {
  readonly #logout: string;

  constructor({ FIELD_PREFIX }: Settings) {
    this.#logout = prefixedName(FIELD_PREFIX, 'logout');
  }

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      didResolveOperation: ({ operation, contextValue }) => {
        if (!contextValue.hasReservedPlace) return Promise.resolve();
        const isLogout = operation?.selectionSet.selections.every(
          (selection) => selection.kind === Kind.FIELD && selection.name.value === this.#logout,
        );
        if (isLogout === true) return Promise.resolve();
        return Promise.reject(refusedRequest(overloaded('SERVICE_BUSY'), SERVICE_UNAVAILABLE));
      },
    });
  }
}
