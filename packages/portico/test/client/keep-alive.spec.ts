import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepAliveMs, startKeepAlive } from '../../src/client/keep-alive.js';

describe('the interval of a keep-alive', () => {
  it('is given in seconds, at most as many as a timer can wait', () => {
    expect([0.001, 1, 2_147_483].map(keepAliveMs)).toEqual([1, 1000, 2_147_483_000]);
  });

  it.each([0, -1, 2_147_484, Infinity, NaN])('is refused if no timer has it: %d', (seconds) => {
    expect(() => keepAliveMs(seconds)).toThrow(
      new TypeError('keepAliveSeconds must be a number above 0 and at most 2147483.'),
    );
  });
});

describe('a keep-alive', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const passed = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
  };

  it('extends at its interval until it is stopped', async () => {
    const extend = vi.fn(() => Promise.resolve());
    const stop = startKeepAlive(1000, extend);
    await passed(999);
    expect(extend).not.toHaveBeenCalled();
    await passed(2001);
    expect(extend).toHaveBeenCalledTimes(3);

    stop();
    await passed(5000);

    expect(extend).toHaveBeenCalledTimes(3);
  });

  it('never extends twice at the same time', async () => {
    const answer = Promise.withResolvers<undefined>();
    const extend = vi.fn(() => answer.promise);
    const stop = startKeepAlive(1000, extend);
    await passed(3000);
    expect(extend).toHaveBeenCalledTimes(1);

    answer.resolve(undefined);
    await passed(2000);

    expect(extend).toHaveBeenCalledTimes(3);
    stop();
  });

  it("tries again after a failure, which is nobody else's", async () => {
    const extend = vi.fn(() => Promise.reject(new Error('gone')));
    const stop = startKeepAlive(1000, extend);

    await passed(2000);

    expect(extend).toHaveBeenCalledTimes(2);
    stop();
  });
});
