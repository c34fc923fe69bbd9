import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Settings } from '../../config/settings.js';
import {
  asksForFederation,
  FEDERATION_SECRET_HEADER,
  type FederationGate,
  federationGate,
} from './federation-gate.js';
import { type GraphQLContext } from '../request/graphql-context.js';
import { checkRepresentations } from './representations.js';
import { RefusedRequestError } from '../errors/refused-request-error.js';

const FORBIDDEN = 403;

/**
 * Reserves the federation fields for the router. Checked before every execution, not in validation: a document that was
 * validated once is not validated again, whoever sends it. Guards and interceptors never run for these fields.
 */
@Plugin()
export class FederationGatePlugin implements ApolloServerPlugin<GraphQLContext> {
  readonly #isOpenTo: FederationGate;

  constructor(private readonly settings: Settings) {
    this.#isOpenTo = federationGate(settings.FEDERATION_SECRET, settings.production);
  }

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      didResolveOperation: ({ schema, document, operation, request: { http, variables = {} } }) => {
        if (!asksForFederation(document)) return Promise.resolve();
        if (!this.#isOpenTo(http?.headers.get(FEDERATION_SECRET_HEADER))) {
          throw new RefusedRequestError(
            'These fields are for the router of the graph only',
            FORBIDDEN,
            'FORBIDDEN',
          );
        }
        if (operation !== undefined) {
          checkRepresentations(
            { schema, document, operation, variables },
            this.settings.FEDERATION_MAX_REPRESENTATIONS,
          );
        }
        return Promise.resolve();
      },
    });
  }
}
