import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { PlatformProbe } from '../platform/platform-probe.service.js';
import { SessionStore } from '../session/store/session-store.js';
import { StoreHealth } from '../session/store/store-health.js';
import { Shutdown } from './shutdown.js';

/** The probe is open to all: however often it is asked, the store is asked once in this time. */
const ASK_AFTER_MS = 1000;

/** What a load balancer needs to know before it sends requests. */
@Injectable()
export class ReadinessService implements BeforeApplicationShutdown {
  #asked: { readonly at: number; readonly answers: Promise<boolean> } | undefined;
  /** Replaced in tests. */
  now = (): number => performance.now();

  constructor(
    private readonly indicators: HealthIndicatorService,
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly health: StoreHealth,
    private readonly probe: PlatformProbe,
    private readonly shutdown: Shutdown,
  ) {}

  /** Whether the session store answers, or did so within the last second. */
  isReady(): Promise<boolean> {
    const at = this.now();
    if (this.#asked === undefined || at - this.#asked.at >= ASK_AFTER_MS) {
      this.#asked = { at, answers: this.#ask() };
    }
    return this.#asked.answers;
  }

  draining(): HealthIndicatorResult {
    const indicator = this.indicators.check('accepting');
    return this.shutdown.hasBegun ? indicator.down() : indicator.up();
  }

  /** Names what is wrong with the store, and what was wrong last if that has been repaired. */
  async sessionStore(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('sessionStore');
    const isReady = await this.isReady();
    const { fault, lastFault } = this.health;
    if (!isReady) return indicator.down(fault === undefined ? undefined : { fault });
    return indicator.up(lastFault === undefined ? undefined : { lastFault });
  }

  /**
   * The result of asking the platform once, at start. An unreachable platform makes no instance unready: another
   * instance would not reach it either.
   */
  platform(): HealthIndicatorResult {
    return this.indicators.check('platform').up({ atStart: this.probe.result?.outcome ?? 'NOT_ASKED' });
  }

  /** From now on the service is not ready, although it still answers. */
  withdraw(): void {
    this.shutdown.begin();
  }

  beforeApplicationShutdown(): void {
    this.withdraw();
  }

  async #ask(): Promise<boolean> {
    try {
      await this.store.ping();
      return true;
    } catch {
      return false;
    }
  }
}
