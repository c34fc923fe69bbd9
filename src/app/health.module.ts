import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { SessionModule } from '../session/session.module.js';
import { HealthController } from './health.controller.js';
import { ReadinessService } from './readiness.service.js';
import { Shutdown } from './shutdown.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), SessionModule],
  controllers: [HealthController],
  providers: [ReadinessService],
})
export class HealthModule {
  static with(shutdown: Shutdown): DynamicModule {
    return { module: HealthModule, providers: [{ provide: Shutdown, useValue: shutdown }] };
  }
}
