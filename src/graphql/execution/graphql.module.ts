import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloFederationDriver, type ApolloFederationDriverConfig } from '@nestjs/apollo';
import { type DynamicModule, Module, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { GraphQLModule as NestGraphQLModule } from '@nestjs/graphql';
import { type GraphQLSchema } from 'graphql';
import { KnownSessions } from '../../session/known-sessions.js';
import { AnswerTurns } from '../../load/answer-turns.js';
import { Settings } from '../../config/settings.js';
import { RequestScope } from '../../logging/request-scope.js';
import { chargeAnswers } from '../limits/charge-answers.js';
import { FederationAccess } from '../federation/federation-access.service.js';
import { FederationGatePlugin } from '../federation/federation-gate.plugin.js';
import { resolveEntitiesTogether } from '../federation/entities.js';
import { prefixRootFields } from '../federation/field-prefix.js';
import { describeRootTypes, editSubgraphSdl } from '../federation/subgraph-sdl.js';
import { ErrorFormat } from '../../errors/to-graphql-error.js';
import { CompiledAnswers } from './compiled-answers.service.js';
import { CompiledExecutionPlugin } from './compiled-execution.plugin.js';
import { RepeatedQueryRoute } from './repeated-query-route.service.js';
import { DocumentPlugin, refusalRule } from '../limits/document.plugin.js';
import { AnswerCompletion } from '../answer-completion.service.js';
import { contextMaker } from '../graphql-context.js';
import { OriginPlugin } from '../origin.plugin.js';
import { PersistedDocuments } from '../limits/persisted-documents.js';
import { ReservedPlacePlugin } from '../reserved-place.plugin.js';
import { RequestPlugin } from '../request.plugin.js';
import { invalidInput } from '../../errors/request-error.js';

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

/** Checks inputs by the rules of their classes. */
const INPUT_PIPE = {
  provide: APP_PIPE,
  useFactory: (): ValidationPipe =>
    new ValidationPipe({
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      exceptionFactory: invalidInput,
    }),
};

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
      inject: [Settings, ErrorFormat, AnswerTurns, KnownSessions, PersistedDocuments],
      useFactory: (
        settings: Settings,
        errors: ErrorFormat,
        turns: AnswerTurns,
        sessions: KnownSessions,
        persisted: PersistedDocuments | undefined,
      ) => ({
        autoSchemaFile: { federation: { ...FEDERATION, directives: [...FEDERATION.directives] } },
        sortSchema: true,
        transformSchema: transforms([
          resolveEntitiesTogether,
          describeRootTypes,
          editSubgraphSdl(settings.FIELD_PREFIX),
          prefixRootFields(settings.FIELD_PREFIX),
          chargeAnswers,
        ]),
        graphiql: false,
        introspection: settings.introspection,
        includeStacktraceInErrorResponses: false,
        // Apollo would handle signals itself and close the port at once.
        stopOnTerminationSignals: false,
        hideSchemaDetailsFromClientErrors: !settings.introspection,
        // Errors are mapped in one place, and so is their HTTP status.
        autoTransformHttpErrors: false,
        preserveHttpStatusForExecutionErrors: false,
        formatError: errors.format,
        parseOptions: { maxLexicalTokens: settings.GRAPHQL_MAX_TOKENS },
        validationRules: [refusalRule],
        allowBatchedHttpRequests: false,
        // Bodies are JSON only, and the origin of a mutation is checked in origin.plugin.ts.
        csrfPrevention: false,
        persistedQueries: persisted !== undefined && { cache: persisted.asCache() },
        context: contextMaker(settings, turns, sessions),
        // No answer may be cached, so Apollo need not wrap every resolver to find out how long.
        plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginInlineTraceDisabled()],
      }),
    }),
  ],
  providers: [
    INPUT_PIPE,
    AnswerCompletion,
    CompiledAnswers,
    DocumentPlugin,
    ReservedPlacePlugin,
    OriginPlugin,
    FederationAccess,
    FederationGatePlugin,
    CompiledExecutionPlugin,
    RequestPlugin,
  ],
})
export class GraphQLModule {
  /** @param showsSteps whether every query goes through all steps of Apollo, as a trace shows them. */
  static with({ showsSteps }: { readonly showsSteps: boolean }): DynamicModule {
    return { module: GraphQLModule, providers: showsSteps ? [] : [RepeatedQueryRoute] };
  }
}

type Transform = (schema: GraphQLSchema) => GraphQLSchema;

function transforms(steps: readonly Transform[]): Transform {
  return (schema) => steps.reduce((before, step) => step(before), schema);
}
