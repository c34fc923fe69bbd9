import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { type RateLimitReason } from '../errors/service-error.js';

/** A flood is this many times the limit of one account within a minute, over all accounts and networks. */
const FLOOD_FACTOR = 100;
const MINUTE_MS = 60_000;

/** Counts the logins that the limiter refuses, and reports a flood of failed logins. A flood itself refuses no one. */
@Injectable()
export class LoginWatch {
  readonly #logger = new Logger('Logins');
  readonly #refusals = new Map<RateLimitReason, number>();
  #failures = 0;
  #minuteBegan = 0;
  #floodMinute: number | undefined;
  #floods = 0;

  constructor(private readonly settings: Settings) {}

  /** Refusals for a reason since the start. */
  refused(reason: RateLimitReason): number {
    return this.#refusals.get(reason) ?? 0;
  }

  /** Floods since the start. */
  get floodCount(): number {
    return this.#floods;
  }

  addRefusal(reason: RateLimitReason): void {
    this.#refusals.set(reason, this.refused(reason) + 1);
  }

  /** A flood is reported once, and is over after a minute without one. */
  addFailure(): void {
    const now = Date.now();
    if (now - this.#minuteBegan >= MINUTE_MS) {
      this.#minuteBegan = now;
      this.#failures = 0;
    }
    this.#failures += 1;
    const limit = this.settings.LOGIN_FAILURES_PER_MINUTE * FLOOD_FACTOR;
    if (this.#failures !== limit) return;
    const goesOn = this.#floodMinute !== undefined && now - this.#floodMinute < 2 * MINUTE_MS;
    this.#floodMinute = this.#minuteBegan;
    if (goesOn) return;
    this.#floods += 1;
    this.#logger.warn(
      `${limit} logins failed within a minute: somebody may be guessing passwords. Nobody is refused because of that; each account and network has its own limit.`,
    );
  }
}
