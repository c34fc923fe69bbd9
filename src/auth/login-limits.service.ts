import { Inject, Injectable, Logger } from '@nestjs/common';
import { ExecutionCancelledError, LoginFailedError } from 'portico/client';
import { Settings } from '../config/settings.js';
import { LoginRecords } from '../session/store/login-records.js';
import { AttemptQueue, type FailureRule } from './attempt-queue.js';
import { type LoginSubject } from './login-subject.js';
import { rateLimited, type RateLimitReason, ServiceError } from '../errors/service-error.js';
import { type End, type Party } from 'portico/internal';

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
  #floodMinute = -Infinity;
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
    const goesOn = now - this.#floodMinute < 2 * MINUTE_MS;
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
   * @param signal aborted when the caller is gone.
   * @throws ServiceError RATE_LIMITED or SESSION_STORE_UNAVAILABLE, or ExecutionCancelledError, before any call
   */
  async attempt<T>(subject: LoginSubject, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { network, place, party } = subject;
    try {
      if (this.settings.LOGIN_RATE_PER_ADDRESS > 0) await this.#countLogin(network);
      return await this.#limiter.attempt({ rules: this.#rules(subject), place, party, signal }, work);
    } catch (error) {
      if (ServiceError.is(error, 'RATE_LIMITED')) this.watch.addRefusal(error.reason as RateLimitReason);
      if (error instanceof LoginFailedError) this.watch.addFailure();
      throw error;
    }
  }

  #rules({ network, account, place }: LoginSubject): FailureRule[] {
    const failures = this.settings.LOGIN_FAILURES_PER_MINUTE;
    const wide = failures * WIDE_FACTOR;
    return [
      ...(place === undefined ? [] : [{ key: `place:${place}`, failures, then: 'refuse' as const }]),
      ...(account === undefined ? [] : [{ key: account, failures: wide, then: 'delay' as const }]),
      { key: network, failures: wide, then: 'queue' },
    ];
  }

  async #countLogin(network: string): Promise<void> {
    const { logins, endsIn } = await this.records.addLogin(network);
    if (logins <= this.settings.LOGIN_RATE_PER_ADDRESS) return;
    throw rateLimited('LOGIN_RATE', Math.max(1, Math.ceil(endsIn / MS_PER_SECOND)));
  }
}

/** One attempt to log in, as the limiter sees it. */
interface LoginAttempt {
  /** Checked in this order; each has a key of its own. */
  readonly rules: readonly FailureRule[];
  /** The account and its network. An account that has logged in there before is not slowed down. */
  readonly place: string | undefined;
  /** Who it counts for while it waits. */
  readonly party: Party;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

interface LoginLimiterOptions {
  /** The longest time that an attempt may wait for its turn. */
  readonly waitMs: number;
  /** Whether what `work` threw counts as a failed login. */
  readonly isFailure: (error: unknown) => boolean;
}

/** The attempts under the key of an account are of one party: they wait in the order in which they came. */
const ALONE: Party = [];

/**
 * Lets an attempt through while its failure would still be allowed. Only failures count. No more attempts run at
 * the same time than may still fail; the others wait in line and are woken once, so that any number of valid logins
 * passes. A login without failures before it looks at the records once, and adds to them only if it is the first of
 * its account in its network.
 */
export class LoginLimiter {
  readonly #records: LoginRecords;
  readonly #options: LoginLimiterOptions;
  readonly #queues = new Map<string, AttemptQueue>();

  constructor(records: LoginRecords, options: LoginLimiterOptions) {
    this.#records = records;
    this.#options = options;
  }

  /** How many keys have attempts now, or a pause that is not over. */
  get remembered(): number {
    return this.#queues.size;
  }

  /**
   * @throws ServiceError RATE_LIMITED when too many have failed or are waiting; `work` has not started then
   * @throws ExecutionCancelledError when the caller hung up before `work` started
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async attempt<T>({ rules, place, party, signal }: LoginAttempt, work: () => Promise<T>): Promise<T> {
    const queues = this.#join(rules);
    const entered: [AttemptQueue, End][] = [];
    try {
      const isKnownPlace = await this.#look(queues, place);
      const deadline = Date.now() + this.#options.waitMs;
      for (const queue of queues) {
        if (isKnownPlace && queue.rule.then !== 'refuse') continue;
        const within = queue.rule.then === 'queue' ? party : ALONE;
        const end = queue.begin(within) ?? (await this.#enter(queue, { party: within, deadline, signal }));
        entered.push([queue, end]);
      }
      if (signal.aborted) throw hungUp();
      const result = await work();
      // If this fails, a later login is slower; this one is not affected.
      if (place !== undefined && !isKnownPlace) void this.#records.addPlace(place).catch(() => undefined);
      return result;
    } catch (error) {
      if (this.#options.isFailure(error)) {
        for (const queue of queues) queue.fail();
        await this.#records.addFailure(rules.map(({ key }) => key));
      }
      throw error;
    } finally {
      for (const [queue, end] of entered) queue.leave(end);
      for (const queue of queues) {
        queue.users -= 1;
        if (queue.users > 0) continue;
        if (queue.pauseEnds === 0) this.#queues.delete(queue.rule.key);
        else this.#forgetAfterPause(queue);
      }
    }
  }

  async #look(queues: readonly AttemptQueue[], place: string | undefined): Promise<boolean> {
    const keys: string[] = [];
    const seenBefore: number[] = [];
    for (const { rule, failuresHere } of queues) {
      keys.push(rule.key);
      seenBefore.push(failuresHere);
    }
    const { failures, isKnownPlace } = await this.#records.look(keys, place);
    for (const [index, queue] of queues.entries()) {
      // Later failures here may or may not be in the count.
      const elsewhere = (failures[index] ?? 0) - (seenBefore[index] ?? 0);
      if (elsewhere !== queue.failuresElsewhere) queue.learn(elsewhere);
    }
    return isKnownPlace;
  }

  async #enter(queue: AttemptQueue, waiting: Waiting): Promise<End> {
    if (waiting.signal.aborted) throw hungUp();
    const outcome = await turnIn(queue, waiting);
    if (typeof outcome !== 'string') return outcome;
    if (outcome === 'hung up') throw hungUp();
    if (outcome === 'queue') throw rateLimited('LOGIN_QUEUE', 1);
    const endsIn = await this.#records.failuresEndIn(queue.rule.key);
    throw rateLimited('FAILED_LOGINS', Math.max(1, Math.ceil(endsIn / MS_PER_SECOND)));
  }

  #join(rules: readonly FailureRule[]): AttemptQueue[] {
    const queues: AttemptQueue[] = [];
    for (const rule of rules) {
      const queue = this.#queues.get(rule.key) ?? new AttemptQueue(rule);
      this.#queues.set(rule.key, queue);
      queue.users += 1;
      queues.push(queue);
    }
    return queues;
  }

  /** A pause outlasts the attempts; otherwise attempts made one after another would skip it. */
  #forgetAfterPause(queue: AttemptQueue): void {
    queue.afterPause(() => {
      if (queue.users > 0) return;
      if (Date.now() >= queue.pauseEnds) this.#queues.delete(queue.rule.key);
      else this.#forgetAfterPause(queue);
    });
  }
}

function hungUp(): ExecutionCancelledError {
  return new ExecutionCancelledError('The caller hung up before the login.');
}

interface Waiting extends Pick<LoginAttempt, 'party' | 'signal'> {
  readonly deadline: number;
}

type Outcome = End | 'failures' | 'queue' | 'hung up';

/** Waits for the turn of an attempt, until a deadline, while its caller is there. */
async function turnIn(queue: AttemptQueue, { party, deadline, signal }: Waiting): Promise<Outcome> {
  let end = (): void => undefined;
  const outcome = await new Promise<Outcome>((resolve) => {
    const giveUp = queue.enter({ party, begin: resolve, refuse: resolve });
    // Given up immediately: a turn that comes later would never end.
    const timer = setTimeout(() => {
      giveUp();
      resolve('queue');
    }, deadline - Date.now());
    const onAbort = (): void => {
      giveUp();
      resolve('hung up');
    };
    signal.addEventListener('abort', onAbort);
    end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  end();
  return outcome;
}
