import { type DynamicModule, Module } from '@nestjs/common';
import { Observation } from './observation.js';
import { RequestScope } from './request-scope.js';

/** Provides the scope of the current request and the {@link Observation} of the service everywhere. */
@Module({})
export class LoggingModule {
  static with(scope: RequestScope, observation: Observation): DynamicModule {
    return {
      module: LoggingModule,
      global: true,
      providers: [
        { provide: RequestScope, useValue: scope },
        { provide: Observation, useValue: observation },
      ],
      exports: [RequestScope, Observation],
    };
  }
}
