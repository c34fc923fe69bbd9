import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloFederationDriver, type ApolloFederationDriverConfig } from '@nestjs/apollo';
import { Module, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { GraphQLModule as NestGraphQLModule } from '@nestjs/graphql';
import { type GraphQLSchema } from 'graphql';
import { AnswerTurns } from '../../load/answer-turns.js';
import { Settings } from '../../config/settings.js';
import { chargeAnswers } from '../charge-answers.js';
import { withoutPlainResolvers } from '../plain-fields.js';
import { FederationAccess } from '../federation/federation-access.service.js';
import { FederationGatePlugin } from '../federation/federation-gate.plugin.js';
import { resolveEntitiesTogether } from '../federation/entities.js';
import { subgraphEdits } from '../federation/subgraph-edits.js';
import { prefixRootFields } from '../federation/field-prefix.js';
import { editSubgraphSdl } from '../federation/subgraph-sdl.js';
import { ErrorFormat } from '../../errors/to-graphql-error.js';
import { ErrorFormatModule } from './error-format.module.js';
import { CompiledAnswers } from './compiled-answers.service.js';
import { CompiledExecutionPlugin } from './compiled-execution.plugin.js';
import { RepeatedQueryRoute } from './repeated-query-route.service.js';
import { DocumentPlugin } from '../limits/document.plugin.js';
import { AnswerCompletion } from '../answer-completion.service.js';
import { graphQLContext } from '../graphql-context.js';
import { OriginPlugin } from '../origin.plugin.js';
import { PersistedDocuments } from '../limits/persisted-documents.js';
import { ReservedPlacePlugin } from '../reserved-place.plugin.js';
import { refusalRule } from '../limits/refused-document.js';
import { RequestPlugin } from '../request.plugin.js';
import { describeRootTypes } from '../federation/root-descriptions.js';
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

@Module({
  imports: [
    ErrorFormatModule,
    NestGraphQLModule.forRootAsync<ApolloFederationDriverConfig>({
      driver: ApolloFederationDriver,
      imports: [ErrorFormatModule],
      inject: [Settings, ErrorFormat, AnswerTurns, PersistedDocuments],
      useFactory: (
        settings: Settings,
        errors: ErrorFormat,
        turns: AnswerTurns,
        persisted: PersistedDocuments | undefined,
      ) => ({
        autoSchemaFile: { federation: { ...FEDERATION, directives: [...FEDERATION.directives] } },
        sortSchema: true,
        transformSchema: transforms([
          resolveEntitiesTogether,
          describeRootTypes,
          editSubgraphSdl(subgraphEdits(settings)),
          prefixRootFields(settings.FIELD_PREFIX),
          withoutPlainResolvers,
          chargeAnswers(answerLimits(settings), turns),
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
        context: graphQLContext,
        // No answer may be cached, so Apollo need not wrap every resolver to find out how long.
        plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginInlineTraceDisabled()],
      }),
    }),
  ],
  providers: [
    INPUT_PIPE,
    AnswerCompletion,
    CompiledAnswers,
    RepeatedQueryRoute,
    DocumentPlugin,
    ReservedPlacePlugin,
    OriginPlugin,
    FederationAccess,
    FederationGatePlugin,
    CompiledExecutionPlugin,
    RequestPlugin,
  ],
})
export class GraphQLModule {}

type Transform = (schema: GraphQLSchema) => GraphQLSchema;

function transforms(steps: readonly Transform[]): Transform {
  return (schema) => steps.reduce((before, step) => step(before), schema);
}

function answerLimits(settings: Settings): { nodes: number; bytes: number } {
  return { nodes: settings.GRAPHQL_MAX_ANSWER_NODES, bytes: settings.GRAPHQL_MAX_ANSWER_BYTES };
}
