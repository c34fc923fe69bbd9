import { type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import { type DocumentNode, Kind, type OperationDefinitionNode, OperationTypeNode, visit } from 'graphql';
import { prefixedName } from '../../config/prefixed-name.js';
import { Settings } from '../../config/settings.js';
import { overloaded, refusedRequest, ServiceError } from '../../errors/service-error.js';
import { originRefusal } from '../../http/caller-context.js';
import { AnswerCompletion } from '../answer-completion.service.js';
import { FEDERATION_FIELDS } from '../federation/federation-gate.js';
import { type GraphQLContext } from '../graphql-context.js';
import { beforeWriting } from './answer-text.js';
import { FrequentAnswers } from './frequent-answers.service.js';

const FORBIDDEN = 403;
const SERVICE_UNAVAILABLE = 503;

/**
 * Our part in a request that Apollo answers: refuses an operation that its caller may not run, answers a frequent one
 * without Apollo's execution, and completes the answer.
 */
@Plugin()
export class RequestPlugin implements ApolloServerPlugin<GraphQLContext> {
  readonly #logout: string;
  readonly #isFederationOpen: boolean;
  readonly #origins: readonly string[];

  constructor(
    { FIELD_PREFIX, FEDERATION_SECRET, production, CORS_ORIGINS }: Settings,
    private readonly frequent: FrequentAnswers,
    private readonly completion: AnswerCompletion,
  ) {
    this.#logout = prefixedName(FIELD_PREFIX, 'logout');
    this.#isFederationOpen = FEDERATION_SECRET === undefined && !production;
    this.#origins = CORS_ORIGINS;
  }

  requestDidStart(): Promise<GraphQLRequestListener<GraphQLContext>> {
    return Promise.resolve({
      didResolveOperation: ({ operation, document, contextValue }) => {
        const refusal = this.#refusal(operation ?? undefined, document, contextValue);
        return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
      },
      // Apollo does not change such an answer.
      responseForOperation: async (request) => {
        const { schema, document, contextValue } = request;
        // Despite its type, there is no operation if the request does not say which one it means. GraphQL reports
        // that.
        const operation = request.operation as OperationDefinitionNode | undefined;
        if (operation === undefined) return null;
        const { variables = {} } = request.request;
        const answer = await this.frequent.answer({ schema, document, operation, contextValue, variables });
        if (answer === undefined) return null;
        const { data, errors, thrown } = answer;
        contextValue.req.executed = { schema, document, operation };
        // Listeners find the thrown errors where Apollo puts those of its own executions.
        if (thrown !== undefined) Object.assign(request, { errors: thrown });
        return {
          http: { status: undefined, headers: new HeaderMap() },
          body: { kind: 'single', singleResult: { data, errors } },
        };
      },
      willSendResponse: ({ request, operation, contextValue, response: { http, body }, errors: thrown }) => {
        const result = body.kind === 'single' ? body.singleResult : body.initialResult;
        const { errors = [] } = result;
        const accept = request.http?.headers.get('accept');
        this.completion.complete({ contextValue, operation, accept, errors, thrown }, http);
        beforeWriting(result, contextValue.answer);
        return Promise.resolve();
      },
    });
  }

  /** Why the caller may not run an operation; undefined if it may. */
  #refusal(
    operation: OperationDefinitionNode | undefined,
    document: DocumentNode,
    context: GraphQLContext,
  ): Error | undefined {
    // A place that is reserved for logouts: mentioning a logout in a document is not enough.
    if (context.hasReservedPlace && (operation === undefined || !this.#isLogout(operation))) {
      return refusedRequest(overloaded('SERVICE_BUSY'), SERVICE_UNAVAILABLE);
    }
    // What a page of a foreign origin makes a browser send: mutations and, by the setting, reads.
    const changes = operation?.operation === OperationTypeNode.MUTATION;
    const foreign = originRefusal(context, this.#origins, changes);
    if (foreign !== undefined) return refusedRequest(foreign, FORBIDDEN);
    // The federation fields are the router's. Without a secret they are open to all, or in production to none. Guards
    // and interceptors never run for them. A document is validated once, but anyone may send it again.
    if (context.isRouter || this.#isFederationOpen || !asksForFederation(document)) return undefined;
    const error = new ServiceError('FORBIDDEN', 'These fields are for the router of the graph only');
    return refusedRequest(error, FORBIDDEN);
  }

  #isLogout(operation: OperationDefinitionNode): boolean {
    return operation.selectionSet.selections.every(
      (selection) => selection.kind === Kind.FIELD && selection.name.value === this.#logout,
    );
  }
}

/**
 * Whether any operation or fragment of the document names a federation field, under any alias.
 * No check that it is a root field: no other field has such a name.
 */
function asksForFederation(document: DocumentNode): boolean {
  const known = asking.get(document);
  if (known !== undefined) return known;
  let asks = false;
  visit(document, {
    [Kind.FIELD]: ({ name }) => {
      asks ||= FEDERATION_FIELDS.has(name.value);
    },
  });
  asking.set(document, asks);
  return asks;
}

/** Documents are parsed once and never change. */
const asking = new WeakMap<DocumentNode, boolean>();
