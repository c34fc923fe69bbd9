import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Portico, porticoContext, porticoFormatError, PorticoModule, porticoPlugins } from 'portico-service';

/** The least that an application needs. The shop does more: shop.module.ts. */
@Module({
  imports: [
    PorticoModule.forRoot({ platform: { baseUrl: 'http://127.0.0.1:3100/api' } }),
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ApolloDriver,
      inject: [Portico],
      useFactory: (portico: Portico) => ({
        autoSchemaFile: true,
        context: porticoContext(portico),
        formatError: porticoFormatError,
        plugins: porticoPlugins(portico),
      }),
    }),
  ],
})
export class HostModule {}
