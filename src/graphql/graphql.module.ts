import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { ApolloFederationDriver, type ApolloFederationDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule as NestGraphQLModule } from '@nestjs/graphql';
import { Settings } from '../config/settings.js';
import { FederationGatePlugin } from './federation-gate.plugin.js';
import { prefixRootFields } from './field-prefix.js';
import { graphQLContext } from './graphql-context.js';
import { RequestPlugin } from './request.plugin.js';
import { toGraphQLError } from './to-graphql-error.js';

/** Composers differ in what they read: this version and these directives are read by all. */
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

@Module({
  imports: [
    NestGraphQLModule.forRootAsync<ApolloFederationDriverConfig>({
      driver: ApolloFederationDriver,
      inject: [Settings],
      useFactory: (settings: Settings) => ({
        autoSchemaFile: { federation: { ...FEDERATION, directives: [...FEDERATION.directives] } },
        sortSchema: true,
        transformSchema: prefixRootFields(settings.FIELD_PREFIX),
        graphiql: false,
        introspection: settings.introspection,
        includeStacktraceInErrorResponses: false,
        hideSchemaDetailsFromClientErrors: true,
        // Errors are mapped in one place, and so is their HTTP status.
        autoTransformHttpErrors: false,
        preserveHttpStatusForExecutionErrors: false,
        formatError: toGraphQLError,
        context: graphQLContext(settings.SESSION_HEADER),
        plugins: [ApolloServerPluginInlineTraceDisabled()],
      }),
    }),
  ],
  providers: [RequestPlugin, FederationGatePlugin],
})
export class GraphQLModule {}
