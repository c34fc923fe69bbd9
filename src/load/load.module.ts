import { type DynamicModule, Module } from '@nestjs/common';
import { KnownSessions } from '../session/known-sessions.js';
import { Admission } from './admission.js';
import { AnswerTurns } from './answer-turns.js';
import { Connections } from './connections.js';
import { type Load } from './limit-load.js';

/**
 * Provides what the server limits its load with: sessions report to it, large answers wait for it, and metrics show
 * it.
 */
@Module({})
export class LoadModule {
  static with({ admission, connections, turns, sessions }: Load): DynamicModule {
    return {
      module: LoadModule,
      global: true,
      providers: [
        { provide: Admission, useValue: admission },
        { provide: Connections, useValue: connections },
        { provide: AnswerTurns, useValue: turns },
        { provide: KnownSessions, useValue: sessions },
      ],
      exports: [Admission, Connections, AnswerTurns, KnownSessions],
    };
  }
}
