import { Inject, Injectable, Logger } from '@nestjs/common';
import { LoginFailedError, type Party } from 'portico/client';
import { Settings } from '../config/settings.js';
import { LoginRecords } from '../session/store/login-records.js';
import { type FailureRule } from './attempt-queue.js';
import { LoginLimiter } from './login-limiter.js';
import { type Account, accountKey, networkKey, placeKey } from './login-subject.js';
import { rateLimited, type RateLimitReason, ServiceError } from '../errors/service-error.js';

/** A flood is this many times the limit of one account within a minute, over all accounts and networks. */
const FLOOD_FACTOR = 100;
const MINUTE_MS = 60_000;

/**
 * Counts the logins that the limiter refuses, and reports a flood of failed logins. A flood itself refuses no one.
 */
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
      `${limit} logins failed within a minute: someone may be guessing passwords. No login is refused because of that: each account and network has its own limit.`,
    );
  }
}

/**
 * An account over all networks, and a network over all accounts, may have this many times the failures of one
 * account there.
 */
const WIDE_FACTOR = 5;
const MS_PER_SECOND = 1000;

/** Who logs in, and from where. */
export interface LoginSubject {
  readonly address: string;
  /** Undefined for a login without one: anonymous, or by identity token. */
  readonly account: Account | undefined;
  /** Network, whether it has an account, and which one. */
  readonly party: Party;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Limits failed logins and logins. No limit is shared by all callers. */
@Injectable()
export class LoginLimits {
  readonly #limiter: LoginLimiter;

  constructor(
    private readonly settings: Settings,
    @Inject(LoginRecords) private readonly records: LoginRecords,
    private readonly watch: LoginWatch,
  ) {
    this.#limiter = new LoginLimiter(records, {
      waitMs: settings.LOGIN_WAIT_MS,
      isFailure: (error) => error instanceof LoginFailedError,
    });
  }

  /**
   * Makes one attempt to log in.
   *
   * @throws ServiceError RATE_LIMITED or SESSION_STORE_UNAVAILABLE, or ExecutionCancelledError, before any call
   */
  async attempt<T>(subject: LoginSubject, work: () => Promise<T>): Promise<T> {
    const { address, account, party, signal } = subject;
    const place = account && placeKey(account, address);
    try {
      if (this.settings.LOGIN_RATE_PER_ADDRESS > 0) await this.#countLogin(address);
      return await this.#limiter.attempt({ rules: this.#rules(subject, place), place, party, signal }, work);
    } catch (error) {
      if (ServiceError.is(error, 'RATE_LIMITED')) this.watch.addRefusal(error.reason as RateLimitReason);
      if (error instanceof LoginFailedError) this.watch.addFailure();
      throw error;
    }
  }

  #rules({ address, account }: LoginSubject, place: string | undefined): FailureRule[] {
    const failures = this.settings.LOGIN_FAILURES_PER_MINUTE;
    const wide = failures * WIDE_FACTOR;
    return [
      ...(place === undefined ? [] : [{ key: `place:${place}`, failures, then: 'refuse' as const }]),
      ...(account === undefined
        ? []
        : [{ key: accountKey(account), failures: wide, then: 'delay' as const }]),
      { key: networkKey(address), failures: wide, then: 'queue' },
    ];
  }

  async #countLogin(address: string): Promise<void> {
    const { logins, endsIn } = await this.records.addLogin(networkKey(address));
    if (logins <= this.settings.LOGIN_RATE_PER_ADDRESS) return;
    throw rateLimited('LOGIN_RATE', Math.max(1, Math.ceil(endsIn / MS_PER_SECOND)));
  }
}
