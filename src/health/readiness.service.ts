import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { SessionStore } from '../session/store/session-store.js';

/** The probe is open to all: however often it is asked, the store is asked once in this time. */
const ASK_AFTER_MS = 1000;

/** What a load balancer needs to know before it sends requests. */
@Injectable()
export class ReadinessService implements BeforeApplicationShutdown {
  private stopping = false;
  private asked: { readonly at: number; readonly answers: Promise<boolean> } | undefined;
  /** Held by tests. */
  now = (): number => performance.now();

  constructor(
    private readonly indicators: HealthIndicatorService,
    @Inject(SessionStore) private readonly store: SessionStore,
  ) {}

  /** Whether the session store answers, or did so within the last second. */
  isReady(): Promise<boolean> {
    const at = this.now();
    if (this.asked === undefined || at - this.asked.at >= ASK_AFTER_MS) {
      this.asked = { at, answers: this.ask() };
    }
    return this.asked.answers;
  }

  draining(): HealthIndicatorResult {
    const indicator = this.indicators.check('accepting');
    return this.stopping ? indicator.down() : indicator.up();
  }

  async sessionStore(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('sessionStore');
    return (await this.isReady()) ? indicator.up() : indicator.down();
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  private async ask(): Promise<boolean> {
    try {
      await this.store.ping();
      return true;
    } catch {
      return false;
    }
  }
}
