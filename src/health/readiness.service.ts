import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { PlatformProbe } from '../platform/platform-probe.service.js';
import { SessionStore } from '../session/store/session-store.js';

/** What a load balancer needs to know before it sends requests. */
@Injectable()
export class ReadinessService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly probe: PlatformProbe,
  ) {}

  /** True once the service has been told to stop, although it still answers. */
  get isStopping(): boolean {
    return this.stopping;
  }

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

  /**
   * What came of asking the platform once, at start. A platform that is away makes no instance unready: another instance would
   * not reach it either.
   */
  platform(): HealthIndicatorResult {
    return this.indicators.check('platform').up({ atStart: this.probe.result?.outcome ?? 'NOT_ASKED' });
  }

  /** From now on the service is not ready, although it still answers. */
  withdraw(): void {
    this.stopping = true;
  }

  beforeApplicationShutdown(): void {
    this.withdraw();
  }
}
