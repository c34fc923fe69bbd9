import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { SessionModule } from '../session/session.module.js';
import { HealthController } from './health.controller.js';
import { ReadinessService, Stopping } from './readiness.service.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), SessionModule],
  controllers: [HealthController],
  providers: [ReadinessService],
})
export class HealthModule {
  static with(stopping: AbortController): DynamicModule {
    return { module: HealthModule, providers: [{ provide: Stopping, useValue: stopping }] };
  }
}
