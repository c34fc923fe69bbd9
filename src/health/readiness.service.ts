import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { SessionStore } from '../session/store/session-store.js';

/** What a load balancer needs to know before it sends requests. */
@Injectable()
export class ReadinessService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    @Inject(SessionStore) private readonly store: SessionStore,
  ) {}

  /** Whether the session store answers. */
  async isReady(): Promise<boolean> {
    const { sessionStore } = await this.sessionStore();
    return sessionStore?.status === 'up';
  }

  draining(): HealthIndicatorResult {
    const indicator = this.indicators.check('accepting');
    return this.stopping ? indicator.down() : indicator.up();
  }

  async sessionStore(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('sessionStore');
    try {
      await this.store.ping();
      return indicator.up();
    } catch {
      return indicator.down();
    }
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }
}
