import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ExecutionCancelledError } from 'portico/client';
import { gate } from '../../packages/portico/test/support/gate.js';
import { ServiceError } from '../../src/errors/service-error.js';
import { recordLoginsInProcess } from '../../src/session/store/login-records.js';
import { accept, attempt, limiter, refuse, Refused, rule } from '../support/login-attempts.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('the login limiter', () => {
  it('lets as many attempts fail as are allowed, and then makes no more', async () => {
    const limit = limiter();
    let made = 0;
    const guess = (): Promise<never> => {
      made += 1;
      return refuse();
    };
    for (let n = 0; n < 3; n += 1) await expect(attempt(limit, rule(3), guess)).rejects.toThrow(Refused);
    const error: unknown = await attempt(limit, rule(3), guess).catch((thrown: unknown) => thrown);
    expect(ServiceError.is(error, 'RATE_LIMITED')).toBe(true);
    expect((error as ServiceError).reason).toBe('FAILED_LOGINS');
    expect((error as ServiceError).retryAfter).toBeGreaterThan(50);
    expect((error as ServiceError).retryAfter).toBeLessThanOrEqual(60);
    expect(made).toBe(3);
  });

  it('never counts an attempt that succeeds, nor one that fails for another reason', async () => {
    const limit = limiter();
    for (let n = 0; n < 20; n += 1) {
      expect(await attempt(limit, rule(2), accept)).toBe('in');
      await expect(attempt(limit, rule(2), () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    }
  });

  it('allows no more of a thousand guesses sent together than of those sent in turn', async () => {
    const limit = limiter();
    let made = 0;
    const guess = async (): Promise<never> => {
      made += 1;
      await turn();
      throw new Refused();
    };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, () => attempt(limit, rule(10), guess)),
    );
    expect(made).toBe(10);
    const limited = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && ServiceError.is(outcome.reason, 'RATE_LIMITED'),
    );
    expect(limited).toHaveLength(990);
  });

  it('asks the store once for each of a thousand good logins that are sent together, first come first served', async () => {
    const records = recordLoginsInProcess();
    const look = vi.spyOn(records, 'look');
    const limit = limiter(60_000, records);
    const [order, expected]: [number[], number[]] = [[], []];
    let atOnce = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => {
        expected.push(index);
        return attempt(limit, rule(10), async () => {
          order.push(index);
          atOnce += 1;
          most = Math.max(most, atOnce);
          await turn();
          atOnce -= 1;
        });
      }),
    );
    expect(order).toEqual(expected);
    expect(most).toBe(10);
    expect(look).toHaveBeenCalledTimes(1_000);
  });

  it('looks at the records once for a login without failures before it, and adds only where it is the first', async () => {
    const records = recordLoginsInProcess();
    const calls: string[] = [];
    const counted = Object.fromEntries(
      Object.entries(records).map(([name, method]) => [
        name,
        (...given: unknown[]) => {
          calls.push(name);
          return (method as (...values: unknown[]) => unknown)(...given);
        },
      ]),
    ) as unknown as typeof records;
    const limit = limiter(60_000, counted);
    const rules = [rule(10, 'refuse', 'place'), rule(50, 'delay'), rule(50, 'queue', 'network')];

    expect(await attempt(limit, rules, accept, { place: 'home' })).toBe('in');
    expect(calls).toEqual(['look', 'addPlace']);
    for (let n = 0; n < 3; n += 1) expect(await attempt(limit, rules, accept, { place: 'home' })).toBe('in');
    expect(calls.slice(2)).toEqual(['look', 'look', 'look']);
  });

  it('delays no other key', async () => {
    const limit = limiter();
    const held = gate();
    const waiting = attempt(limit, rule(1), () => held.passed);
    expect(await attempt(limit, rule(1, 'refuse', 'other'), accept)).toBe('in');
    held.open();
    await waiting;
  });

  it('forgets failures when their time is over', async () => {
    vi.useFakeTimers();
    const limit = limiter();
    await expect(attempt(limit, rule(1), refuse)).rejects.toThrow(Refused);
    vi.advanceTimersByTime(59_999);
    await expect(attempt(limit, rule(1), accept)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    vi.advanceTimersByTime(1);
    expect(await attempt(limit, rule(1), accept)).toBe('in');
  });

  it('follows the strictest of several rules', async () => {
    const limit = limiter();
    const both = [rule(5), rule(1, 'refuse', 'place')];
    await expect(attempt(limit, both, refuse)).rejects.toThrow(Refused);
    await expect(attempt(limit, both, accept)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await attempt(limit, rule(5), accept)).toBe('in');
  });
});

describe('an attempt that waits for its turn', () => {
  it('gives up at its deadline, and the attempts behind it move up', async () => {
    const limit = limiter(20);
    const held = gate();
    const first = attempt(limit, rule(1), () => held.passed);
    const error: unknown = await attempt(limit, rule(1), accept).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'LOGIN_QUEUE', retryAfter: 1 });
    held.open();
    await first;
    expect(await attempt(limit, rule(1), accept)).toBe('in');
  });

  it('ends when its caller hangs up, and its login is never made', async () => {
    const limit = limiter();
    const held = gate();
    const caller = new AbortController();
    const work = vi.fn(accept);
    const first = attempt(limit, rule(1), () => held.passed);
    const second = attempt(limit, rule(1), work, { signal: caller.signal });
    await turn();
    caller.abort();
    await expect(second).rejects.toThrow(ExecutionCancelledError);
    held.open();
    await first;
    expect(await attempt(limit, rule(1), accept)).toBe('in');
    expect(work).not.toHaveBeenCalled();
  });

  it('goes before one that comes when the failures are forgotten', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter(120_000);
    await expect(attempt(limit, rule(2), refuse)).rejects.toThrow(Refused);
    const held = gate();
    const order: string[] = [];
    const first = attempt(limit, rule(2), () => held.passed);
    const second = attempt(limit, rule(2), () => Promise.resolve(order.push('second')));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(order).toEqual([]);
    const third = attempt(limit, rule(2), () => Promise.resolve(order.push('third')));
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    held.open();
    await first;
  });

  it('is not made for a caller who has already hung up', async () => {
    const work = vi.fn(accept);
    const signal = AbortSignal.abort();
    await expect(attempt(limiter(), rule(1), work, { signal })).rejects.toThrow(ExecutionCancelledError);
    expect(work).not.toHaveBeenCalled();
  });
});
