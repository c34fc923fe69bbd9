import { type End, ExecutionCancelledError, type Party } from 'portico/client';
import { type LoginRecords } from '../session/store/login-records.js';
import { AttemptQueue, type FailureRule } from './attempt-queue.js';
import { rateLimited } from '../errors/service-error.js';

/** One attempt to log in, as the limiter sees it. */
export interface LoginAttempt {
  /** Checked in this order; each has a key of its own. */
  readonly rules: readonly FailureRule[];
  /** The account and its network. An account that has logged in there before is not slowed down. */
  readonly place: string | undefined;
  /** Who it counts for while it waits. */
  readonly party: Party;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface LoginLimiterOptions {
  /** The longest time that an attempt may wait for its turn. */
  readonly waitMs: number;
  /** Whether what `work` threw counts as a failed login. */
  readonly isFailure: (error: unknown) => boolean;
}

const MS_PER_SECOND = 1000;

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

  /**
   * @throws ServiceError RATE_LIMITED when too many have failed or are waiting; `work` has not started then
   * @throws ExecutionCancelledError when the caller hung up before `work` started
   * @throws ServiceError SESSION_STORE_UNAVAILABLE
   */
  async attempt<T>({ rules, place, party, signal }: LoginAttempt, work: () => Promise<T>): Promise<T> {
    const queues = rules.map((rule) => this.#join(rule));
    const entered: [AttemptQueue, End][] = [];
    try {
      const isKnownPlace = await this.#look(queues, place);
      const deadline = Date.now() + this.#options.waitMs;
      for (const queue of queues) {
        if (isKnownPlace && queue.rule.then !== 'refuse') continue;
        const end = queue.begin(party) ?? (await this.#enter(queue, { party, deadline, signal }));
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
        this.#forget(queue);
      }
    }
  }

  async #look(queues: readonly AttemptQueue[], place: string | undefined): Promise<boolean> {
    const seenBefore = queues.map(({ failuresHere }) => failuresHere);
    const keys = queues.map(({ rule }) => rule.key);
    const { failures, isKnownPlace } = await this.#records.look(keys, place);
    queues.forEach((queue, index) => {
      queue.learn(failures[index] ?? 0, seenBefore[index] ?? 0);
    });
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

  #join(rule: FailureRule): AttemptQueue {
    const known = this.#queues.get(rule.key);
    const queue = known ?? new AttemptQueue(rule);
    this.#queues.set(rule.key, queue);
    queue.users += 1;
    return queue;
  }

  /** A pause outlasts the attempts; otherwise attempts made one after another would skip it. */
  #forget(queue: AttemptQueue): void {
    if (queue.users > 0) return;
    if (queue.isIdle) this.#queues.delete(queue.rule.key);
    else
      queue.afterPause(() => {
        this.#forget(queue);
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
