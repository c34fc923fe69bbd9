import { type DynamicModule, Module } from '@nestjs/common';
import { RequestScope } from './request-scope.js';

/** Provides the scope of the current request. */
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
