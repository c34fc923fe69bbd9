import { type DynamicModule, Module } from '@nestjs/common';
import { AnswerTurns } from './answer-turns.js';

/** Provides the turns in which large answers are made. */
@Module({})
export class AnswersModule {
  static with(turns: AnswerTurns): DynamicModule {
    return {
      module: AnswersModule,
      global: true,
      providers: [{ provide: AnswerTurns, useValue: turns }],
      exports: [AnswerTurns],
    };
  }
}
