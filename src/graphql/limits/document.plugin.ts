import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Inject } from '@nestjs/common';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode, visit } from 'graphql';
import { Settings } from '../../config/settings.js';
import { brokenLimit, type DocumentLimits } from './document-limits.js';
import { type GraphQLContext } from '../graphql-context.js';
import { PersistedDocuments } from './persisted-documents.js';
import { refusedDocument } from './refused-document.js';
import { refusedRequest, ServiceError } from '../../errors/service-error.js';

const BAD_REQUEST = 400;

/** A request that is parsed but not yet validated. */
interface Checked {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  readonly queryHash: string;
}

/** Refuses documents that are not allowed or exceed a limit, before GraphQL validates them and before anything is called. */
@Plugin()
export class DocumentPlugin implements ApolloServerPlugin<GraphQLContext> {
  readonly #limits: DocumentLimits;

  constructor(
    settings: Settings,
    @Inject(PersistedDocuments) private readonly persisted: PersistedDocuments | undefined,
  ) {
    this.#limits = {
      depth: settings.GRAPHQL_MAX_DEPTH,
      aliases: settings.GRAPHQL_MAX_ALIASES,
      directives: settings.GRAPHQL_MAX_DIRECTIVES,
      rootFields: settings.GRAPHQL_MAX_ROOT_FIELDS,
      cost: settings.GRAPHQL_MAX_COST,
    };
  }

  serverWillStart({ schema }: { readonly schema: GraphQLSchema }): Promise<void> {
    this.persisted?.checkAgainst(schema);
    return Promise.resolve();
  }

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      validationDidStart: (request) => {
        const refusal = this.#refusal(request);
        // Apollo validates the document it finds here. A hook that throws would lead to a 500.
        if (refusal !== undefined) {
          const document = refusedDocument(refusedRequest(refusal, BAD_REQUEST));
          Object.assign(request, { document });
        }
        return Promise.resolve();
      },
    });
  }

  #refusal({ document, schema, queryHash }: Checked): ServiceError | undefined {
    if (this.persisted?.has(queryHash) === false) {
      const message = 'The document is not on the list of allowed documents';
      return new ServiceError('PERSISTED_QUERY_NOT_FOUND', message);
    }
    const broken = brokenLimit(document, schema, this.#limits);
    if (broken !== undefined) {
      return new ServiceError('GRAPHQL_VALIDATION_FAILED', broken, { reason: 'LIMIT_EXCEEDED' });
    }
    if (hasSubscription(document)) {
      const message = 'Subscriptions are not supported';
      return new ServiceError('GRAPHQL_VALIDATION_FAILED', message);
    }
    if (isIncremental(document)) {
      const message = '@defer and @stream are not supported: the answer comes as a whole';
      return new ServiceError('GRAPHQL_VALIDATION_FAILED', message);
    }
    return undefined;
  }
}

/** GraphQL itself reports a subscription only when it runs, although the schema has none. */
function hasSubscription({ definitions }: DocumentNode): boolean {
  return definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.operation === OperationTypeNode.SUBSCRIPTION,
  );
}

/** GraphQL itself would say that such a directive is unknown, once for each place. */
function isIncremental(document: DocumentNode): boolean {
  let is = false;
  visit(document, {
    [Kind.DIRECTIVE]: ({ name }) => {
      is ||= name.value === 'defer' || name.value === 'stream';
    },
  });
  return is;
}
