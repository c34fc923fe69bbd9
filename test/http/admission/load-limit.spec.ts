import { describe, expect, it } from '@jest/globals';
import { LoadLimit } from '../../../src/http/admission/load-limit.js';

const CALM = { delay: 5, heap: 0.3 };
const LATE = { delay: 200, heap: 0.3 };

describe('the limit of requests in flight', () => {
  it('stays at its maximum while the process has time, however many requests wait for the platform', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 10; n += 1) limit.observe({ ...CALM, inFlight: 4000 });
    expect([limit.value, limit.isShedding]).toEqual([4096, false]);
  });

  it.each([
    ['the event loop is late', LATE],
    ['the heap is nearly full', { delay: 5, heap: 0.95 }],
  ])('falls below the requests in flight while %s, step by step', (_what, sample) => {
    const limit = new LoadLimit(4096);
    limit.observe({ ...sample, inFlight: 1000 });
    expect([limit.value, limit.isShedding]).toEqual([4096, false]);
    limit.observe({ ...sample, inFlight: 1000 });
    expect([limit.value, limit.isShedding]).toEqual([750, true]);
    limit.observe({ ...sample, inFlight: 750 });
    expect(limit.value).toBe(562);
    for (let n = 0; n < 20; n += 1) limit.observe({ ...sample, inFlight: limit.value });
    expect(limit.value).toBe(50);
  });

  it('stays while few requests are in flight, since they are not what delays the event loop', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 5; n += 1) limit.observe({ ...LATE, inFlight: 50 });
    expect(limit.value).toBe(4096);
  });

  it('never falls below the least nor above the setting, be it ever so low', () => {
    const limit = new LoadLimit(8);
    for (let n = 0; n < 5; n += 1) limit.observe({ ...LATE, inFlight: 8 });
    expect(limit.value).toBe(8);
  });

  it('comes back within seconds when the load is over, and holds in between', () => {
    const limit = new LoadLimit(4096);
    for (let n = 0; n < 20; n += 1) limit.observe({ ...LATE, inFlight: limit.value });
    limit.observe({ delay: 45, heap: 0.3, inFlight: 50 });
    expect(limit.value).toBe(50);
    for (let n = 0; n < 20; n += 1) limit.observe({ ...CALM, inFlight: 50 });
    expect(limit.value).toBe(4096);
  });
});
