import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { countInProcess } from '../../src/session/store/failure-counter.js';
import { LoginLimiter } from '../../src/auth/login-limiter.js';
import { RateLimitedError } from '../../src/errors/rate-limited-error.js';
import { gate } from '../support/gate.js';

class Refused extends Error {}

const limiter = (seconds = 60): LoginLimiter => new LoginLimiter(countInProcess(seconds));
const isRefused = (error: unknown): boolean => error instanceof Refused;
const allow = (failures: number, key = 'account'): { key: string; failures: number }[] => [{ key, failures }];
const refuse = (): Promise<never> => Promise.reject(new Refused());
const accept = (): Promise<string> => Promise.resolve('in');

describe('the login limiter', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('lets as many attempts fail as are allowed, and then makes no more', async () => {
    const limit = limiter();
    let made = 0;
    const attempt = (): Promise<unknown> => {
      return limit.attempt(
        allow(3),
        () => {
          made += 1;
          return refuse();
        },
        isRefused,
      );
    };
    for (let n = 0; n < 3; n += 1) await expect(attempt()).rejects.toThrow(Refused);
    const error: unknown = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect((error as RateLimitedError).retryAfterSeconds).toBeGreaterThan(50);
    expect((error as RateLimitedError).retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(made).toBe(3);
  });

  it('never counts an attempt that succeeds, nor one that fails for another reason', async () => {
    const limit = limiter();
    for (let n = 0; n < 20; n += 1) {
      expect(await limit.attempt(allow(2), accept, isRefused)).toBe('in');
      await expect(
        limit.attempt(allow(2), () => Promise.reject(new Error('down')), isRefused),
      ).rejects.toThrow('down');
    }
  });

  it('lets a thousand guesses that are sent together be no more than those sent in turn', async () => {
    const limit = limiter();
    let made = 0;
    const guess = async (): Promise<never> => {
      made += 1;
      await pause(1);
      throw new Refused();
    };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, () => limit.attempt(allow(10), guess, isRefused)),
    );
    expect(made).toBe(10);
    const limited = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && outcome.reason instanceof RateLimitedError,
    );
    expect(limited).toHaveLength(990);
  });

  it('lets any number of good logins pass that are sent together', async () => {
    const limit = limiter();
    let atOnce = 0;
    let most = 0;
    const login = async (): Promise<string> => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await pause(1);
      atOnce -= 1;
      return 'in';
    };
    const all = await Promise.all(
      Array.from({ length: 100 }, () => limit.attempt(allow(10), login, isRefused)),
    );
    expect(all).toHaveLength(100);
    expect(most).toBe(10);
  });

  it('keeps nobody else waiting', async () => {
    const limit = limiter();
    const held = gate();
    const waiting = limit.attempt(allow(1), () => held.passed, isRefused);
    expect(await limit.attempt(allow(1, 'other'), accept, isRefused)).toBe('in');
    held.open();
    await waiting;
  });

  it('forgets failures when their time is over', async () => {
    jest.useFakeTimers();
    const limit = limiter(60);
    await expect(limit.attempt(allow(1), refuse, isRefused)).rejects.toThrow(Refused);
    jest.advanceTimersByTime(59_999);
    await expect(limit.attempt(allow(1), accept, isRefused)).rejects.toThrow(RateLimitedError);
    jest.advanceTimersByTime(1);
    expect(await limit.attempt(allow(1), accept, isRefused)).toBe('in');
  });

  it('takes the strictest of several allowances', async () => {
    const limit = limiter();
    const both = [...allow(5), ...allow(1, 'address')];
    await expect(limit.attempt(both, refuse, isRefused)).rejects.toThrow(Refused);
    await expect(limit.attempt(both, accept, isRefused)).rejects.toThrow(RateLimitedError);
    expect(await limit.attempt(allow(5), accept, isRefused)).toBe('in');
  });
});
