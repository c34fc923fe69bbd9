import { type DynamicModule, Module } from '@nestjs/common';
import { Observation } from './observation.js';

/** Provides the one {@link Observation} of the service everywhere. */
@Module({})
export class ObservationModule {
  static with(observation: Observation): DynamicModule {
    return {
      module: ObservationModule,
      global: true,
      providers: [{ provide: Observation, useValue: observation }],
      exports: [Observation],
    };
  }
}
