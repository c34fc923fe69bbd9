import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Inject } from '@nestjs/common';
import { type DocumentNode, type GraphQLSchema } from 'graphql';
import { Settings } from '../config/settings.js';
import { brokenLimit, type DocumentLimits } from './document-limits.js';
import { type GraphQLContext } from './graphql-context.js';
import { PersistedDocuments } from './persisted-documents.js';
import { refusedDocument } from './refused-document.js';
import { RefusedRequestError } from './refused-request-error.js';

const BAD_REQUEST = 400;

/** Refuses documents that are not allowed or ask for too much, before GraphQL validates them and before anything is called. */
@Plugin()
export class DocumentPlugin implements ApolloServerPlugin<GraphQLContext> {
  private readonly limits: DocumentLimits;

  constructor(
    settings: Settings,
    @Inject(PersistedDocuments) private readonly persisted: PersistedDocuments | undefined,
  ) {
    this.limits = {
      depth: settings.GRAPHQL_MAX_DEPTH,
      aliases: settings.GRAPHQL_MAX_ALIASES,
      directives: settings.GRAPHQL_MAX_DIRECTIVES,
      rootFields: settings.GRAPHQL_MAX_ROOT_FIELDS,
      cost: settings.GRAPHQL_MAX_COST,
    };
  }

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      validationDidStart: (request) => {
        const refusal = this.isAllowed(request.queryHash)
          ? this.tooLarge(request.document, request.schema)
          : new RefusedRequestError(
              'The document is not one of those that are allowed',
              BAD_REQUEST,
              'PERSISTED_QUERY_NOT_FOUND',
            );
        // Apollo validates the document that it finds here; a hook that threw would be answered with 500.
        if (refusal !== undefined) Object.assign(request, { document: refusedDocument(refusal) });
        return Promise.resolve();
      },
    });
  }

  private isAllowed(queryHash: string): boolean {
    return this.persisted === undefined || this.persisted.has(queryHash);
  }

  private tooLarge(document: DocumentNode, schema: GraphQLSchema): RefusedRequestError | undefined {
    const broken = brokenLimit(document, schema, this.limits);
    return broken === undefined
      ? undefined
      : new RefusedRequestError(broken, BAD_REQUEST, 'GRAPHQL_VALIDATION_FAILED', 'LIMIT_EXCEEDED');
  }
}
