import { type DynamicModule, Module } from '@nestjs/common';
import { RequestScope } from './request-scope.js';

/** Gives the scope of the request that is being served to whoever asks. */
@Module({})
export class LoggingModule {
  static with(scope: RequestScope): DynamicModule {
    return {
      module: LoggingModule,
      global: true,
      providers: [{ provide: RequestScope, useValue: scope }],
      exports: [RequestScope],
    };
  }
}
