import { describe, expect, it } from 'vitest';
import { LoadLimit } from '../../src/load/load-limit.js';

const SAMPLE = { milliseconds: 200, left: 1000, heap: 0.3, utilization: 0.6 };
const CALM = { ...SAMPLE, delay: 5 };
const BUSY = { ...SAMPLE, delay: 5, utilization: 1 };
const LATE = { ...SAMPLE, delay: 200 };

describe('the limit of requests in flight', () => {
  it('stays at its maximum while the process has time, however many requests wait for the platform', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 10; n += 1) limit.observe({ ...CALM, inFlight: 4000 });
    expect([limit.value, limit.isShedding]).toEqual([4096, false]);
  });

  it.each([
    ['the event loop is late', LATE],
    ['the heap is nearly full', { ...SAMPLE, delay: 5, heap: 0.95 }],
  ])('falls below the requests in flight, step by step, while %s and few requests end', (_what, busy) => {
    const limit = new LoadLimit(4096);
    const sample = { ...busy, left: 2 };
    limit.observe({ ...sample, inFlight: 1000 });
    expect([limit.value, limit.isShedding]).toEqual([4096, false]);
    limit.observe({ ...sample, inFlight: 1000 });
    expect([limit.value, limit.isShedding]).toEqual([950, true]);
    limit.observe({ ...sample, inFlight: 900 });
    expect(limit.value).toBe(855);
    for (let n = 0; n < 100; n += 1) limit.observe({ ...sample, inFlight: limit.value });
    expect(limit.value).toBe(128);
  });

  it('is half of that while the event loop is late as well', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 2; n += 1) limit.observe({ ...LATE, utilization: 1, inFlight: 2000, left: 400 });
    expect(limit.value).toBe(250);
  });

  it('is what ends in a quarter of a second while the CPU has no time left, be the event loop late or not', () => {
    const limit = new LoadLimit(4096);
    limit.observe({ ...BUSY, inFlight: 1000, left: 240 });
    expect(limit.isShedding).toBe(false);
    limit.observe({ ...BUSY, inFlight: 1000, left: 240 });
    expect(limit.value).toBe(300);
    for (let n = 0; n < 20; n += 1) limit.observe({ ...BUSY, inFlight: 300, left: 400 });
    expect(limit.value).toBeGreaterThan(490);
  });

  it('stays while the CPU is busy and next to nothing ends: those requests wait for a slow platform', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 10; n += 1) limit.observe({ ...BUSY, inFlight: 2000, left: 10 });
    expect(limit.value).toBe(4096);
  });

  it('stays while few requests are in flight, since they are not what delays the event loop', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 5; n += 1) limit.observe({ ...LATE, inFlight: 128 });
    expect(limit.value).toBe(4096);
  });

  it('never falls below the least nor above the setting, be it ever so low', () => {
    const limit = new LoadLimit(8);
    for (let n = 0; n < 5; n += 1) limit.observe({ ...LATE, inFlight: 8 });
    expect(limit.value).toBe(8);
  });

  it('comes back within seconds when the load is over, and holds in between', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 100; n += 1) limit.observe({ ...LATE, left: 2, inFlight: limit.value });
    limit.observe({ ...SAMPLE, delay: 45, inFlight: 128 });
    expect(limit.value).toBe(128);
    for (let n = 0; n < 100; n += 1) limit.observe({ ...CALM, inFlight: 50 });
    expect(limit.value).toBe(4096);
  });
});
