import { describe, expect, it } from 'vitest';
import { once } from '../../../src/credentials/providers/once.js';

/** A load that counts its runs and gives their number. */
function countingLoad() {
  const load = () => Promise.resolve(++counted.runs);
  const counted = { runs: 0, load };
  return counted;
}

describe('once', () => {
  it('loads nothing until it is called', () => {
    const counted = countingLoad();
    once(counted.load);

    expect(counted.runs).toBe(0);
  });

  it('shares one load among 50 callers and keeps its result', async () => {
    const counted = countingLoad();
    const get = once(counted.load);

    const values = await Promise.all(Array.from({ length: 50 }, async () => get()));

    expect(new Set([...values, await get()])).toEqual(new Set([1]));
  });

  it('fails all callers who wait for a failing load, and loads again for the next', async () => {
    let runs = 0;
    const get = once(() => (++runs === 1 ? Promise.reject(new Error('first')) : Promise.resolve(runs)));
    const together = await Promise.allSettled([get(), get()]);

    expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await get()).toBe(2);
  });

  it('counts ttlSeconds from the end of a load', async () => {
    let now = 0;
    const get = once(
      () => {
        now += 10_000;
        return Promise.resolve(now);
      },
      { ttlSeconds: 5, now: () => now },
    );
    await get();

    now += 4_999;
    expect(await get()).toBe(10_000);

    now += 1;
    expect(await get()).toBe(25_000);
  });

  it('shares the running load only, with a ttlSeconds of 0', async () => {
    const counted = countingLoad();
    const get = once(counted.load, { ttlSeconds: 0, now: () => 0 });

    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  });

  it('loads again after `forget`, whatever the age of the value', async () => {
    const get = once(countingLoad().load);
    await get();

    get.forget();

    expect(await get()).toBe(2);
  });

  it('keeps a newer load when an older one, forgotten while under way, fails', async () => {
    const loads: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
    const get = once(() => new Promise<string>((resolve, reject) => loads.push({ resolve, reject })));
    const older = get();
    get.forget();
    const newer = get();

    loads[0]?.reject(new Error('older'));
    await expect(older).rejects.toThrow('older');
    loads[1]?.resolve('newer');

    expect(await newer).toBe('newer');
    expect(await get()).toBe('newer');
  });
});
