import { type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloFederationDriver, type ApolloFederationDriverConfig } from '@nestjs/apollo';
import { type DynamicModule, Module } from '@nestjs/common';
import { GraphQLModule as NestGraphQLModule } from '@nestjs/graphql';
import { type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { KnownSessions } from '../../session/handle.js';
import { AnswerTurns } from '../../load/answer-turns.js';
import { Settings } from '../../config/settings.js';
import { RequestScope } from '../../logging/log-requests.js';
import { chargeAnswers } from '../limits/answer-budget.js';
import { resolveEntitiesTogether } from '../federation/entities.js';
import { prefixNames } from '../federation/name-prefixes.js';
import { describeRootTypes, editSubgraphSdl } from '../federation/subgraph-sdl.js';
import { ErrorFormat } from '../../errors/to-graphql-error.js';
import { writeAnswer } from './answer-text.js';
import { FrequentAnswers } from './frequent-answers.service.js';
import { RepeatedRequestRoute } from './repeated-request-route.service.js';
import { DocumentPlugin, refusalRule } from '../limits/document.plugin.js';
import { AnswerCompletion } from '../answer-completion.service.js';
import { Portico } from '../portico-graphql.service.js';
import { contextMaker } from '../graphql-context.js';
import { PersistedDocuments } from '../limits/persisted-documents.js';
import { RequestPlugin } from './request.plugin.js';

/** Composers support different versions and directives; all support these. */
const FEDERATION = {
  version: 2,
  importUrl: 'https://specs.apollo.dev/federation/v2.7',
  directives: [
    '@key',
    '@shareable',
    '@external',
    '@requires',
    '@provides',
    '@inaccessible',
    '@tag',
    '@override',
  ],
} as const;

/**
 * Provides the one form of errors, for Apollo's answers and for those that do not pass through Apollo's execution.
 */
@Module({
  providers: [
    {
      provide: ErrorFormat,
      inject: [Settings, RequestScope],
      useFactory: ({ introspection }: Settings, { requestId }: RequestScope) =>
        new ErrorFormat(introspection, requestId),
    },
  ],
  exports: [ErrorFormat],
})
class ErrorFormatModule {}

@Module({
  imports: [
    ErrorFormatModule,
    NestGraphQLModule.forRootAsync<ApolloFederationDriverConfig>({
      driver: ApolloFederationDriver,
      imports: [ErrorFormatModule],
      inject: [Settings, ErrorFormat, AnswerTurns, KnownSessions, PersistedDocuments, Portico],
      useFactory: (
        settings: Settings,
        errors: ErrorFormat,
        turns: AnswerTurns,
        sessions: KnownSessions,
        persisted: PersistedDocuments | undefined,
        portico: Portico,
      ) => ({
        autoSchemaFile: { federation: { ...FEDERATION, directives: [...FEDERATION.directives] } },
        sortSchema: true,
        transformSchema: transforms([
          resolveEntitiesTogether(settings.FEDERATION_MAX_REPRESENTATIONS),
          describeRootTypes,
          editSubgraphSdl(settings.namePrefixes),
          prefixNames(settings.namePrefixes),
          chargeAnswers,
        ]),
        graphiql: false,
        introspection: settings.introspection,
        includeStacktraceInErrorResponses: false,
        // Apollo would handle signals itself and close the port immediately.
        stopOnTerminationSignals: false,
        hideSchemaDetailsFromClientErrors: !settings.introspection,
        // Errors are mapped in one place, and so is their HTTP status.
        autoTransformHttpErrors: false,
        preserveHttpStatusForExecutionErrors: false,
        formatError: errors.format,
        stringifyResult: writeAnswer,
        parseOptions: { maxLexicalTokens: settings.GRAPHQL_MAX_TOKENS },
        validationRules: [refusalRule],
        allowBatchedHttpRequests: false,
        // Bodies are JSON only, and the origin of a mutation is checked in request.plugin.ts.
        csrfPrevention: false,
        documentStore: documentStore(),
        persistedQueries: persisted !== undefined && { cache: persisted.asCache() },
        context: portico.with('context', contextMaker(settings, turns, sessions)),
        plugins: portico.with('plugins', apolloPlugins()),
      }),
    }),
  ],
  providers: [AnswerCompletion, FrequentAnswers, DocumentPlugin, RequestPlugin],
})
export class GraphQLModule {
  /** @param showsSteps whether every request goes through all steps of Apollo, as a trace shows them. */
  static with({ showsSteps }: { readonly showsSteps: boolean }): DynamicModule {
    return { module: GraphQLModule, providers: showsSteps ? [] : [RepeatedRequestRoute] };
  }
}

/** In characters of documents: parsed, each takes about 100 bytes. */
const MOST_PARSED = 256 * 1024;

/** Documents that were parsed and validated. Apollo's own would take five times the memory that it is meant to. */
function documentStore(): NonNullable<ApolloFederationDriverConfig['documentStore']> {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: MOST_PARSED,
    sizeCalculation: ({ loc }) => Math.max(1, loc?.end ?? MOST_PARSED),
  });
  return {
    get: (hash) => Promise.resolve(documents.get(hash)),
    set: (hash, document) => {
      documents.set(hash, document);
      return Promise.resolve();
    },
    delete: (hash) => Promise.resolve(documents.delete(hash)),
  };
}

/** No answer may be cached, so Apollo need not wrap every resolver to find out how long. */
function apolloPlugins(): ApolloServerPlugin[] {
  return [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginInlineTraceDisabled()];
}

type Transform = (schema: GraphQLSchema) => GraphQLSchema;

function transforms(steps: readonly Transform[]): Transform {
  return (schema) => steps.reduce((before, step) => step(before), schema);
}
