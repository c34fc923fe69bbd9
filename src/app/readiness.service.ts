import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { PlatformProbe } from '../platform/platform-probe.service.js';
import { SessionStore } from '../session/store/session-store.js';
import { StoreHealth } from '../session/store/store-health.js';

/** The probe is open to all: however often it is asked, the store is asked once in this time. */
const ASK_AFTER_MS = 1000;

/** `degraded`: sessions can be read, and nothing can be written. */
type StoreState = 'ready' | 'degraded' | 'down';

/**
 * The injection token of the `AbortController` that is aborted while the service stops. It still answers then, but
 * reports that it is not ready, and each answer closes its connection.
 */
export const Stopping = Symbol('Stopping');

/** What a load balancer needs to know before it sends requests. */
@Injectable()
export class ReadinessService implements BeforeApplicationShutdown {
  #asked: { readonly at: number; readonly state: Promise<StoreState> } | undefined;
  /** Replaced in tests. */
  now = (): number => performance.now();

  constructor(
    private readonly indicators: HealthIndicatorService,
    @Inject(SessionStore) private readonly store: SessionStore,
    private readonly health: StoreHealth,
    private readonly probe: PlatformProbe,
    @Inject(Stopping) private readonly stopping: AbortController,
  ) {}

  /** Whether sessions can be read, now or within the last second. */
  async isReady(): Promise<boolean> {
    return (await this.#state()) !== 'down';
  }

  draining(): HealthIndicatorResult {
    const indicator = this.indicators.check('accepting');
    return this.stopping.signal.aborted ? indicator.down() : indicator.up();
  }

  /**
   * Names what is wrong with the store, and what was wrong last if that has been repaired. A store that takes no
   * writes makes no instance unready: its sessions go on, and another instance could not log in either.
   */
  async sessionStore(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('sessionStore');
    const state = await this.#state();
    const { fault, lastFault } = this.health;
    const facts = { ...(fault !== undefined && { fault }) };
    if (state === 'down') return indicator.down(facts);
    if (state === 'degraded') return indicator.up({ degraded: true, ...facts });
    return indicator.up(lastFault === undefined ? undefined : { lastFault });
  }

  #state(): Promise<StoreState> {
    const at = this.now();
    if (this.#asked === undefined || at - this.#asked.at >= ASK_AFTER_MS) {
      this.#asked = { at, state: this.#ask() };
    }
    return this.#asked.state;
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
    this.stopping.abort();
  }

  beforeApplicationShutdown(): void {
    this.withdraw();
  }

  async #ask(): Promise<StoreState> {
    try {
      await this.store.ping();
      return 'ready';
    } catch {
      return this.store.reach().then(
        () => 'degraded',
        () => 'down',
      );
    }
  }
}
