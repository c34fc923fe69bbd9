import { type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { Inject } from '@nestjs/common';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  type ValidationRule,
  visit,
} from 'graphql';
import { Settings } from '../../config/settings.js';
import { brokenLimit, type DocumentLimits } from './document-limits.js';
import { PersistedDocuments } from './persisted-documents.js';
import { refusedRequest, ServiceError } from '../../errors/service-error.js';

const BAD_REQUEST = 400;

interface Context {
  /** Whether the caller is the router of a graph, by its secret. */
  readonly isRouter: boolean;
}

/** A request that is parsed but not yet validated. */
interface Checked {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  readonly queryHash: string;
  readonly contextValue: Context;
}

/**
 * Refuses documents that are not allowed or exceed a limit, before GraphQL validates them and before anything is
 * called.
 */
@Plugin()
export class DocumentPlugin implements ApolloServerPlugin<Context> {
  readonly #limits: DocumentLimits;
  readonly #listener: Promise<GraphQLRequestListener<Context>>;

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
    this.#listener = Promise.resolve({
      validationDidStart: this.#validate,
      // Apollo validates a document once. It may have done so for a router.
      ...(persisted !== undefined && { didResolveOperation: this.#requireAllowed }),
    });
  }

  serverWillStart({ schema }: { readonly schema: GraphQLSchema }): Promise<void> {
    this.persisted?.checkAgainst(schema);
    return Promise.resolve();
  }

  requestDidStart(): Promise<GraphQLRequestListener<Context>> {
    return this.#listener;
  }

  readonly #validate = (request: Checked): Promise<void> => {
    const refusal = this.#refusal(request);
    // Apollo validates the document it finds here. A hook that throws would lead to a 500.
    if (refusal !== undefined) {
      const document = refusedDocument(refusedRequest(refusal, BAD_REQUEST));
      Object.assign(request, { document });
    }
    return Promise.resolve();
  };

  readonly #requireAllowed = (request: Checked): Promise<void> => {
    const refusal = this.#notAllowed(request);
    return refusal === undefined ? Promise.resolve() : Promise.reject(refusedRequest(refusal, BAD_REQUEST));
  };

  /** A router writes its own documents, so the list is not for it. */
  #notAllowed({
    queryHash,
    contextValue,
  }: Pick<Checked, 'queryHash' | 'contextValue'>): ServiceError | undefined {
    if (contextValue.isRouter || this.persisted?.has(queryHash) !== false) return undefined;
    const message = 'The document is not on the list of allowed documents';
    return new ServiceError('PERSISTED_QUERY_NOT_FOUND', message);
  }

  #refusal(request: Checked): ServiceError | undefined {
    const notAllowed = this.#notAllowed(request);
    if (notAllowed !== undefined) return notAllowed;
    const { document, schema } = request;
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

/** Why a document is refused, by the empty one that stands in for it. */
const refusals = new WeakMap<DocumentNode, GraphQLError>();

/**
 * The document that is validated in place of a refused one. It is empty, so that none of GraphQL's own rules, some of
 * which take quadratic time, runs on the document that was sent; {@link refusalRule} reports the reason.
 */
function refusedDocument(refusal: GraphQLError): DocumentNode {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
  refusals.set(document, refusal);
  return document;
}

/** Reports the refusal of a {@link refusedDocument}. */
export const refusalRule: ValidationRule = (context) => {
  const refusal = refusals.get(context.getDocument());
  if (refusal !== undefined) context.reportError(refusal);
  return {};
};
