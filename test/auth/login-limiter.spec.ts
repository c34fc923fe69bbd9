import { getEventListeners } from 'node:events';
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

  it('counts a failure once while other attempts under its key are under way', async () => {
    const limit = limiter();
    const held = gate();
    const first = attempt(limit, rule(4), () => held.passed);
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, rule(4), refuse)).rejects.toThrow(Refused);
    expect(await attempt(limit, rule(4), accept)).toBe('in');
    held.open();
    await first;
  });

  it('remembers no place of a login without an account', async () => {
    const records = recordLoginsInProcess();
    const addPlace = vi.spyOn(records, 'addPlace');
    expect(await attempt(limiter(60_000, records), rule(1), accept)).toBe('in');
    expect(addPlace).not.toHaveBeenCalled();
  });

  it('forgets a key with the last of its attempts, failed or not', async () => {
    const limit = limiter();
    const held = gate();
    const first = attempt(limit, rule(2), () => held.passed);
    await expect(attempt(limit, rule(2), refuse)).rejects.toThrow(Refused);
    expect(limit.remembered).toBe(1);
    held.open();
    await first;
    expect(limit.remembered).toBe(0);
    await expect(attempt(limit, rule(1, 'refuse', 'other'), refuse)).rejects.toThrow(Refused);
    expect(limit.remembered).toBe(0);
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
    vi.useFakeTimers({ toNotFake: ['setImmediate'] });
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
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter(1_000);
    const held = gate();
    const first = attempt(limit, rule(1), () => held.passed);
    const second = expect(attempt(limit, rule(1), accept)).rejects.toMatchObject({
      reason: 'LOGIN_QUEUE',
      retryAfter: 1,
    });
    await vi.advanceTimersByTimeAsync(500);
    const third = attempt(limit, rule(1), accept);
    await vi.advanceTimersByTimeAsync(500);
    await second;
    held.open();
    await first;
    await vi.advanceTimersByTimeAsync(500);
    expect(await third).toBe('in');
  });

  it('ends when its caller hangs up: its login is never made, and the attempts behind it move up', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter(1_000);
    const held = gate();
    const caller = new AbortController();
    const [given, next] = [vi.fn(accept), vi.fn(accept)];
    const first = attempt(limit, rule(1), () => held.passed);
    const second = attempt(limit, rule(1), given, { signal: caller.signal });
    await turn();
    caller.abort();
    await expect(second).rejects.toThrow(ExecutionCancelledError);
    const third = attempt(limit, rule(1), next);
    await turn();
    expect(next).not.toHaveBeenCalled();
    held.open();
    await first;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await third).toBe('in');
    expect(given).not.toHaveBeenCalled();
  });

  it('needs one timer and one listener while others are under way, and none once it has begun', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const WAIT_MS = 61_234;
    const limit = limiter(WAIT_MS);
    const held = gate();
    const { signal } = new AbortController();
    const [started, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    const first = attempt(limit, rule(1), () => held.passed);
    const second = attempt(limit, rule(1), accept, { signal });
    await turn();
    // Other files of this process may start timers too, of other lengths; one for the end of a pause has 1 ms.
    const ours = started.mock.results.filter((_, n) =>
      [WAIT_MS, 1].includes(started.mock.calls[n]?.[1] ?? 0),
    );
    expect(ours).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    held.open();
    await Promise.all([first, second]);
    expect(cleared).toHaveBeenCalledWith(ours[0]?.value);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    vi.restoreAllMocks();
  });

  it('keeps its place among those of its account, from whatever network they come', async () => {
    const limit = limiter();
    const held = [gate(), gate()] as const;
    const order: string[] = [];
    const from = (network: string, work: () => Promise<unknown>): Promise<unknown> =>
      attempt(limit, rule(2), work, { party: [network, 'logins', 'account'] });
    const waits = (name: string) => () => Promise.resolve(order.push(name));
    const begun = [from('busy', () => held[0].passed), from('idle', () => held[1].passed)];
    const waiting = [from('busy', waits('first')), from('idle', waits('second'))];
    await turn();
    held[1].open();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
    held[0].open();
    await Promise.all(begun);
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

  it('does not wait for a caller who has already hung up', async () => {
    const limit = limiter(20);
    const held = gate();
    const first = attempt(limit, rule(1), () => held.passed);
    const gone = attempt(limit, rule(1), accept, { signal: AbortSignal.abort() });
    await expect(gone).rejects.toThrow(ExecutionCancelledError);
    held.open();
    await first;
  });
});
