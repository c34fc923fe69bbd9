import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type DynamicModule, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { type GraphQLFormattedError } from 'graphql';
import {
  Portico,
  porticoContext,
  porticoFormatError,
  PorticoModule,
  type PorticoOptions,
  porticoPlugins,
  porticoScalars,
} from 'portico-service';
import { NightlyService } from './nightly.service.js';
import { ReportsController } from './reports.controller.js';
import { ReportsResolver } from './reports.resolver.js';

/** The shop, with Portico in its schema. */
@Module({ providers: [ReportsResolver, NightlyService], controllers: [ReportsController] })
export class ShopModule {
  static with(portico: PorticoOptions): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        PorticoModule.forRoot(portico),
        GraphQLModule.forRootAsync<ApolloDriverConfig>({
          driver: ApolloDriver,
          inject: [Portico],
          useFactory: (mounted: Portico) => {
            const session = porticoContext(mounted);
            return {
              autoSchemaFile: true,
              buildSchemaOptions: { scalarsMap: porticoScalars },
              context: (...args: Parameters<typeof session>) => ({ ...session(...args), shop: 'north' }),
              formatError: (formatted: GraphQLFormattedError, thrown: unknown) =>
                inShopForm(porticoFormatError(formatted, thrown)),
              plugins: porticoPlugins(mounted),
            };
          },
        }),
      ],
    };
  }
}

/** Every error of the shop says where it comes from. */
function inShopForm(error: GraphQLFormattedError): GraphQLFormattedError {
  return { ...error, extensions: { ...error.extensions, from: 'shop' } };
}
