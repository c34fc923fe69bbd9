import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { ApolloFederationDriver, type ApolloFederationDriverConfig } from '@nestjs/apollo';
import { Module, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { GraphQLModule as NestGraphQLModule } from '@nestjs/graphql';
import { Settings } from '../config/settings.js';
import { FederationGatePlugin } from './federation/federation-gate.plugin.js';
import { prefixRootFields } from './federation/field-prefix.js';
import { RequestScope } from '../logging/request-scope.js';
import { DocumentPlugin } from './documents/document.plugin.js';
import { graphQLContext } from './request/graphql-context.js';
import { OriginPlugin } from './request/origin.plugin.js';
import { PersistedDocuments } from './documents/persisted-documents.js';
import { PersistedDocumentsModule } from './documents/persisted-documents.module.js';
import { refusalRule } from './documents/refused-document.js';
import { RequestPlugin } from './request/request.plugin.js';
import { describeRootTypes } from './federation/root-descriptions.js';
import { invalidInput } from './errors/invalid-input.js';
import { toGraphQLError } from './errors/to-graphql-error.js';

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
    PersistedDocumentsModule,
    NestGraphQLModule.forRootAsync<ApolloFederationDriverConfig>({
      driver: ApolloFederationDriver,
      imports: [PersistedDocumentsModule],
      inject: [Settings, RequestScope, PersistedDocuments],
      useFactory: (settings: Settings, scope: RequestScope, persisted: PersistedDocuments | undefined) => ({
        autoSchemaFile: { federation: { ...FEDERATION, directives: [...FEDERATION.directives] } },
        sortSchema: true,
        transformSchema: (schema) => prefixRootFields(settings.FIELD_PREFIX)(describeRootTypes(schema)),
        graphiql: false,
        introspection: settings.introspection,
        includeStacktraceInErrorResponses: false,
        hideSchemaDetailsFromClientErrors: !settings.introspection,
        // Errors are mapped in one place, and so is their HTTP status.
        autoTransformHttpErrors: false,
        preserveHttpStatusForExecutionErrors: false,
        formatError: (formatted, thrown) => {
          const error = toGraphQLError(formatted, thrown, settings.introspection);
          return { ...error, extensions: { ...error.extensions, requestId: scope.requestId() } };
        },
        parseOptions: { maxLexicalTokens: settings.GRAPHQL_MAX_TOKENS },
        validationRules: [refusalRule],
        allowBatchedHttpRequests: false,
        // Bodies are JSON only, and the origin of a mutation is checked in origin.plugin.ts.
        csrfPrevention: false,
        persistedQueries: persisted !== undefined && { cache: persisted.asCache() },
        context: graphQLContext(settings.SESSION_HEADER),
        plugins: [ApolloServerPluginInlineTraceDisabled()],
      }),
    }),
  ],
  providers: [INPUT_PIPE, DocumentPlugin, OriginPlugin, FederationGatePlugin, RequestPlugin],
})
export class GraphQLModule {}
