import { type DynamicModule, Module } from '@nestjs/common';
import { Admission } from './admission.js';
import { AnswerTurns } from './answer-turns.js';
import { Connections } from './connections.js';
import { type Load } from './limit-load.js';

/**
 * Provides what the server limits its load with: large answers wait for it, and metrics show it.
 */
@Module({})
export class LoadModule {
  static with({ admission, connections, turns }: Load): DynamicModule {
    return {
      module: LoadModule,
      global: true,
      providers: [
        { provide: Admission, useValue: admission },
        { provide: Connections, useValue: connections },
        { provide: AnswerTurns, useValue: turns },
      ],
      exports: [Admission, Connections, AnswerTurns],
    };
  }
}
