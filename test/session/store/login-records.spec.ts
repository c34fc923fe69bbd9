import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LoginRecords, recordLoginsInProcess } from '../../../src/session/store/login-records.js';

describe('the history of logins in one process', () => {
  let records: LoginRecords;
  beforeEach(() => {
    vi.useFakeTimers({ toNotFake: ['setImmediate'] });
    records = recordLoginsInProcess();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const failuresOf = async (...keys: string[]): Promise<readonly number[]> =>
    (await records.look(keys, undefined)).failures;
  const isKnown = async (place: string | undefined): Promise<boolean> =>
    (await records.look([], place)).isKnownPlace;

  it('is empty at first', async () => {
    expect(await records.look(['one', 'two'], 'place')).toEqual({ failures: [0, 0], isKnownPlace: false });
    expect(await records.failuresEndIn('one')).toBe(0);
  });

  it('counts failures by key, and gives them in the order of the keys that are asked for', async () => {
    await records.addFailure(['one', 'two']);
    await records.addFailure(['two']);
    expect(await failuresOf('two', 'none', 'one')).toEqual([2, 0, 1]);
  });

  it('forgets failures a minute after the first of them, whatever came later', async () => {
    await records.addFailure(['one']);
    vi.advanceTimersByTime(59_000);
    await records.addFailure(['one']);
    expect(await failuresOf('one')).toEqual([2]);
    vi.advanceTimersByTime(999);
    expect(await failuresOf('one')).toEqual([2]);
    vi.advanceTimersByTime(1);
    expect(await failuresOf('one')).toEqual([0]);
    await records.addFailure(['one']);
    expect(await failuresOf('one')).toEqual([1]);
  });

  it('says to the millisecond when failures are forgotten', async () => {
    await records.addFailure(['one']);
    expect(await records.failuresEndIn('one')).toBe(60_000);
    vi.advanceTimersByTime(59_999);
    expect(await records.failuresEndIn('one')).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await records.failuresEndIn('one')).toBe(0);
  });

  it('counts logins by key, each count for a minute from its first', async () => {
    expect(await records.addLogin('one')).toEqual({ logins: 1, endsIn: 60_000 });
    vi.advanceTimersByTime(20_000);
    expect(await records.addLogin('one')).toEqual({ logins: 2, endsIn: 40_000 });
    expect(await records.addLogin('two')).toEqual({ logins: 1, endsIn: 60_000 });
    vi.advanceTimersByTime(40_000);
    expect(await records.addLogin('one')).toEqual({ logins: 1, endsIn: 60_000 });
  });

  it('counts no login as a failure, and no failure as a login', async () => {
    await records.addLogin('one');
    expect(await failuresOf('one')).toEqual([0]);
    await records.addFailure(['two']);
    expect(await records.addLogin('two')).toMatchObject({ logins: 1 });
  });

  it('goes by the clock of the machine, so that a count ends after a minute of sleep', async () => {
    await records.addFailure(['one']);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await failuresOf('one')).toEqual([0]);
  });

  it('keeps nothing that has ended in memory', async () => {
    const before = vi.getTimerCount();
    await records.addFailure(['one']);
    expect(vi.getTimerCount()).toBe(before + 1);
    vi.advanceTimersByTime(60_001);
    expect(vi.getTimerCount()).toBe(before);
  });

  it('knows the places of logins that succeeded, and no place of a login without one', async () => {
    await records.addPlace('home');
    expect([await isKnown('home'), await isKnown('elsewhere'), await isKnown(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('forgets the place that was used longest ago when there are 100,000 others', async () => {
    for (let n = 0; n <= 100_000; n += 1) await records.addPlace(`place ${n}`);
    expect([await isKnown('place 0'), await isKnown('place 1')]).toEqual([false, true]);
  });

  it('counts for at most 100,000 keys at once', async () => {
    const keys = Array.from({ length: 100_001 }, (_, n) => `key ${n}`);
    await records.addFailure(keys);
    expect(await failuresOf('key 0', 'key 1', 'key 100000')).toEqual([0, 1, 1]);
  });
});
