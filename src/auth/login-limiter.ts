import { RateLimitedError } from '../errors/rate-limited-error.js';
import { type FailureCounter } from '../session/store/failure-counter.js';

/** A key under which failures are counted, and how many are allowed. */
export interface Allowance {
  readonly key: string;
  readonly failures: number;
}

/** The attempts under one key that are being made right now. */
interface Gate {
  inFlight: number;
  /** Counts the failures that this process has seen, so that a count that was read meanwhile is known to be old. */
  seen: number;
  readonly waiting: (() => void)[];
}

const MS_PER_SECOND = 1000;

/**
 * Lets an attempt through while its failure would still be allowed. Only failures use an allowance up. No more attempts
 * run at once than may still fail, the others wait: a thousand guesses sent together are no more than a thousand sent in
 * turn, and any number of good logins passes.
 */
export class LoginLimiter {
  readonly #counter: FailureCounter;
  readonly #gates = new Map<string, Gate>();

  constructor(counter: FailureCounter) {
    this.#counter = counter;
  }

  /**
   * @param allowances checked in turn; each distinct.
   * @param isFailure whether what `work` threw counts.
   * @throws RateLimitedError when an allowance is used up: then `work` is not begun.
   */
  async attempt<T>(
    allowances: readonly Allowance[],
    work: () => Promise<T>,
    isFailure: (error: unknown) => boolean,
  ): Promise<T> {
    const entered: Allowance[] = [];
    try {
      for (const allowance of allowances) {
        await this.#enter(allowance);
        entered.push(allowance);
      }
      return await work();
    } catch (error) {
      if (isFailure(error)) await Promise.all(entered.map(({ key }) => this.#count(key)));
      throw error;
    } finally {
      for (const { key } of entered) this.#leave(key);
    }
  }

  async #enter({ key, failures }: Allowance): Promise<void> {
    for (;;) {
      const gate = this.#gate(key);
      const { seen } = gate;
      const counted = await this.#counter.get(key);
      const used = counted?.consumedPoints ?? 0;
      if (counted !== null && used >= failures) {
        if (gate.inFlight === 0) this.#gates.delete(key);
        throw new RateLimitedError(Math.max(1, Math.ceil(counted.msBeforeNext / MS_PER_SECOND)));
      }
      if (this.#gate(key) !== gate || gate.seen !== seen) continue;
      if (used + gate.inFlight < failures) {
        gate.inFlight += 1;
        return;
      }
      await new Promise<void>((resolve) => gate.waiting.push(resolve));
    }
  }

  async #count(key: string): Promise<void> {
    await this.#counter.add(key);
    this.#gate(key).seen += 1;
  }

  #leave(key: string): void {
    const gate = this.#gate(key);
    gate.inFlight -= 1;
    const waiting = gate.waiting.splice(0);
    if (gate.inFlight === 0) this.#gates.delete(key);
    for (const wake of waiting) wake();
  }

  #gate(key: string): Gate {
    const known = this.#gates.get(key);
    if (known !== undefined) return known;
    const gate = { inFlight: 0, seen: 0, waiting: [] };
    this.#gates.set(key, gate);
    return gate;
  }
}
