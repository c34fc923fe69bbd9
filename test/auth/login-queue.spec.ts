import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ExecutionCancelledError } from 'portico/client';
import { GUEST } from 'portico/internal';
import { gate } from '../../packages/portico/test/support/gate.js';
import { ServiceError } from '../../src/errors/service-error.js';
import { recordLoginsInProcess } from '../../src/session/store/login-records.js';
import { type LoginLimiter } from '../../src/auth/login-limits.service.js';
import { accept, attempt, limiter, refuse, Refused, rule } from '../support/login-attempts.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('a key with the rule `queue`', () => {
  const queued = rule(2, 'queue', 'network');

  it('lets good logins pass one at a time after too many failures, and all of them after one pause', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, queued, refuse)).rejects.toThrow(Refused);
    let atOnce = 0;
    const logins = Array.from({ length: 20 }, () =>
      attempt(limit, queued, async () => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        await turn();
        atOnce -= 1;
      }),
    );
    await turn();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all(logins)).toHaveLength(20);
  });

  it('makes one more guess a second, whether they are sent together or in turn', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter(15_000);
    let made = 0;
    const guess = (): Promise<never> => {
      made += 1;
      return refuse();
    };
    const guesses = Array.from({ length: 100 }, () => attempt(limit, queued, guess));
    const outcomes = Promise.allSettled(guesses);
    await vi.advanceTimersByTimeAsync(10_500);
    expect(made).toBe(12);
    await vi.advanceTimersByTimeAsync(10_000);
    const reasons = (await outcomes).map((outcome) =>
      outcome.status === 'rejected' && ServiceError.is(outcome.reason, 'RATE_LIMITED')
        ? outcome.reason.reason
        : '',
    );
    expect(reasons.filter((reason) => reason === 'LOGIN_QUEUE').length).toBeGreaterThan(80);
    made = 0;
    for (let n = 0; n < 3; n += 1) {
      const inTurn = attempt(limit, queued, guess).catch(() => undefined);
      await vi.advanceTimersByTimeAsync(1_000);
      await inTurn;
    }
    expect(made).toBe(3);
  });

  /** Two failures at once, after which the pause begins. */
  async function useUp(limit: LoginLimiter): Promise<void> {
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, queued, refuse)).rejects.toThrow(Refused);
  }

  it('is forgotten when the pause after a failure is over, and not before', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await useUp(limit);
    await vi.advanceTimersByTimeAsync(999);
    expect(limit.remembered).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(limit.remembered).toBe(0);
  });

  it('is forgotten after the pause also if the clock is set back meanwhile', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await useUp(limit);
    vi.setSystemTime(Date.now() - 500);
    await vi.advanceTimersByTimeAsync(1_499);
    expect(limit.remembered).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(limit.remembered).toBe(0);
  });

  it('pauses again for the failure of an account that need not wait', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await attempt(limit, queued, accept, { place: 'home' });
    await useUp(limit);
    await vi.advanceTimersByTimeAsync(500);
    await expect(attempt(limit, queued, refuse, { place: 'home' })).rejects.toThrow(Refused);
    await vi.advanceTimersByTimeAsync(600);
    const work = vi.fn(accept);
    const login = attempt(limit, queued, work);
    await vi.advanceTimersByTimeAsync(399);
    expect(work).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await login).toBe('in');
  });

  it('does not pause after a failure that was allowed', async () => {
    const records = recordLoginsInProcess();
    const limit = limiter(20, records);
    await expect(attempt(limit, queued, refuse)).rejects.toThrow(Refused);
    await records.addFailure([queued.key]);
    expect(await attempt(limit, queued, accept)).toBe('in');
  });

  it('lets one attempt pass at a time also after the pause', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await useUp(limit);
    const held = gate();
    const first = attempt(limit, queued, () => held.passed);
    await vi.advanceTimersByTimeAsync(1_000);
    const work = vi.fn(accept);
    const second = attempt(limit, queued, work);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(work).not.toHaveBeenCalled();
    held.open();
    await first;
    expect(await second).toBe('in');
  });

  it('wakes all that wait for the end of a pause by one timer', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await useUp(limit);
    // Other files of this process may start timers too, of other lengths.
    await vi.advanceTimersByTimeAsync(123);
    const started = vi.spyOn(globalThis, 'setTimeout');
    const logins = [1, 2, 3].map(() => attempt(limit, queued, accept));
    await turn();
    expect(started.mock.calls.filter(([, ms]) => ms === 1_000 - 123)).toHaveLength(1);
    started.mockRestore();
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(logins);
  });

  it('does not slow an account that has logged in there before', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await attempt(limit, queued, accept, { place: 'home' });
    const held = gate();
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, queued, refuse)).rejects.toThrow(Refused);
    const first = attempt(limit, queued, () => held.passed, { place: 'elsewhere' });
    expect(await attempt(limit, queued, accept, { place: 'home' })).toBe('in');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await attempt(limit, queued, accept, { place: 'home' })).toBe('in');
    held.open();
    await first;
  });

  const three = rule(3, 'queue', 'network');

  it('keeps a third of its attempts for accounts: guests wait for one another', async () => {
    const limit = limiter();
    const held = [gate(), gate(), gate()];
    const begun: number[] = [];
    const guests = held.map(({ passed }, n) => {
      const work = (): Promise<void> => {
        begun.push(n);
        return passed;
      };
      return attempt(limit, three, work, { party: ['network', GUEST, `guest ${n}`] });
    });
    await turn();
    expect(begun).toEqual([0, 1]);
    expect(await attempt(limit, three, accept)).toBe('in');
    expect(begun).toEqual([0, 1]);
    held[0]?.open();
    await guests[0];
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of held) open();
    await Promise.all(guests);
  });

  it('gives all of its attempts to accounts if they come first', async () => {
    const limit = limiter();
    const held = gate();
    const work = vi.fn(() => held.passed);
    const logins = [1, 2, 3, 4].map((n) =>
      attempt(limit, three, work, { party: ['network', 'logins', `account ${n}`] }),
    );
    await turn();
    expect(work).toHaveBeenCalledTimes(3);
    held.open();
    await Promise.all(logins);
  });

  it('refuses an attempt at once if the line is full', async () => {
    const limit = limiter();
    const held = gate();
    const waiting = Array.from({ length: 2_002 }, () => attempt(limit, queued, () => held.passed));
    await turn();
    await expect(attempt(limit, queued, accept)).rejects.toMatchObject({ reason: 'LOGIN_QUEUE' });
    held.open();
    await Promise.all(waiting);
  });
});

describe('a key with the rule `delay`', () => {
  const delayed = rule(2, 'delay', 'account');

  it('delays every attempt alike after too many failures, however many others wait, and refuses none', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, delayed, refuse)).rejects.toThrow(Refused);
    const guesses = Promise.allSettled(Array.from({ length: 500 }, () => attempt(limit, delayed, refuse)));
    const work = vi.fn(accept);
    const owner = attempt(limit, delayed, work);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(work).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await owner).toBe('in');
    await guesses;
  });

  it('never makes the login of a caller who hangs up meanwhile', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, delayed, refuse)).rejects.toThrow(Refused);
    const caller = new AbortController();
    const work = vi.fn(accept);
    const login = expect(attempt(limit, delayed, work, { signal: caller.signal })).rejects.toThrow(
      ExecutionCancelledError,
    );
    await turn();
    caller.abort();
    await login;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(work).not.toHaveBeenCalled();
  });

  it('keeps no turn for a caller who hangs up meanwhile', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    const held = [gate(), gate()] as const;
    const begun = held.map(({ passed }) => attempt(limit, delayed, () => passed));
    await turn();
    const caller = new AbortController();
    const gone = attempt(limit, delayed, accept, { signal: caller.signal });
    await turn();
    caller.abort();
    await expect(gone).rejects.toThrow(ExecutionCancelledError);
    await vi.advanceTimersByTimeAsync(2_000);
    held[0].open();
    await begun[0];
    const work = vi.fn(accept);
    const next = attempt(limit, delayed, work);
    await turn();
    expect(work).toHaveBeenCalled();
    held[1].open();
    await Promise.all([...begun, next]);
  });

  it('does not delay an account where it has logged in before', async () => {
    vi.useFakeTimers({ toNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const limit = limiter();
    await attempt(limit, delayed, accept, { place: 'home' });
    for (let n = 0; n < 2; n += 1) await expect(attempt(limit, delayed, refuse)).rejects.toThrow(Refused);
    expect(await attempt(limit, delayed, accept, { place: 'home' })).toBe('in');
  });
});
