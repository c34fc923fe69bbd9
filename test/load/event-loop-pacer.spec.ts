import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EventLoopPacer } from '../../src/load/event-loop-pacer.js';

/** Begins requests and heavy work, and tells what has begun after so many iterations of the event loop. */
function observed(pace: EventLoopPacer): {
  request: (name: string) => void;
  heavy: (name: string) => void;
  after: (iterations: number) => Promise<string[]>;
} {
  const begun: string[] = [];
  return {
    request: (name) => void pace.turn([name]).then(() => begun.push(name)),
    heavy: (name) => {
      pace.beginHeavy(() => begun.push(name));
    },
    after: async (iterations) => {
      for (let n = 0; n < iterations; n += 1) await nextIteration();
      return begun.splice(0);
    },
  };
}

function busy(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until;);
}

/** Connections that are taken before anything else. */
const BURST = 256;

describe('the pace of the event loop', () => {
  it('lets every request begin at once while no connections come in', () => {
    expect(new EventLoopPacer().isBusy).toBe(false);
  });

  it('lets 64 requests begin in one iteration, and makes what arrives with them wait for a turn', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    for (let round = 0; round < 2; round += 1) {
      expect(Array.from({ length: 70 }, () => pace.mayBegin()).filter(Boolean)).toHaveLength(64);
      for (let n = 0; n < 6; n += 1) request(`late ${n}`);
      expect(pace.mayBegin()).toBe(false);
      // Nobody overtakes those that wait.
      expect((await after(1)).length).toBeLessThan(6);
      expect(pace.mayBegin()).toBe(false);
      await after(3);
    }
    expect(pace.mayBegin()).toBe(true);
  });

  it('is busy with a new connection for two iterations, although no request waits', async () => {
    const pace = new EventLoopPacer();
    const { after } = observed(pace);
    pace.connected();
    await after(1);
    expect(pace.isBusy).toBe(true);
    await after(1);
    expect(pace.isBusy).toBe(false);
  });

  it('lets requests begin in the first iteration without a new connection', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    pace.connected();
    expect(pace.isBusy).toBe(true);
    request('first');
    for (let n = 0; n < 6; n += 1) {
      expect(await after(1)).toEqual([]);
      pace.connected();
    }
    expect(await after(3)).toEqual(['first']);
    expect(pace.isBusy).toBe(false);
  });

  it('does not let a stream of new connections keep requests from beginning', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    pace.connected();
    request('first');
    const begun: string[] = [];
    for (let n = 0; n < BURST + 10; n += 1) {
      begun.push(...(await after(1)));
      pace.connected();
    }
    expect(begun).toEqual(['first']);
  });

  it('takes a burst of connections before any request begins', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    pace.connected();
    request('first');
    for (let n = 1; n < BURST; n += 1) {
      expect(await after(1)).toEqual([]);
      pace.connected();
    }
    expect(await after(3)).toEqual(['first']);
  });

  it('lets four requests begin in every ninth iteration of a flood of connections', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    pace.connected();
    for (let n = 0; n < 50; n += 1) request(`${n}`);
    const counts: number[] = [];
    for (let n = 0; n < BURST + 90; n += 1) {
      counts.push((await after(1)).length);
      pace.connected();
    }
    expect(counts.slice(0, BURST)).toEqual(Array(BURST).fill(0));
    expect(counts.filter((count) => count > 0)).toEqual(Array(10).fill(4));
  });

  it('takes the next burst as quickly once requests have begun in between', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    for (let burst = 0; burst < 2; burst += 1) {
      pace.connected();
      for (let n = 0; n < BURST; n += 1) request(`${burst}-${n}`);
      for (let n = 1; n < BURST; n += 1) {
        expect(await after(1)).toEqual([]);
        pace.connected();
      }
      expect(await after(BURST / 4 + 2)).toHaveLength(BURST);
    }
  });

  it('begins heavy work one piece per iteration, after the requests that wait', async () => {
    const pace = new EventLoopPacer();
    const { request, heavy, after } = observed(pace);
    heavy('a');
    heavy('b');
    expect(pace.isBusy).toBe(false);
    pace.connected();
    request('request');
    const iterations: string[][] = [];
    for (let n = 0; n < 5; n += 1) iterations.push(await after(1));
    expect(iterations.flat()).toEqual(expect.arrayContaining(['request', 'a', 'b']));
    expect(iterations.every((begun) => begun.filter((name) => name !== 'request').length <= 1)).toBe(true);
  });

  it('lets a few requests begin at once', async () => {
    const pace = new EventLoopPacer();
    const { request, after } = observed(pace);
    pace.connected();
    for (let n = 0; n < 20; n += 1) request(`${n}`);
    const counts: number[] = [];
    for (let n = 0; n < 15; n += 1) counts.push((await after(1)).length);
    expect(Math.max(...counts)).toBe(4);
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
  });

  it('lets the request of another network begin before those of a crowd', async () => {
    const pace = new EventLoopPacer();
    const begun: string[] = [];
    for (let n = 0; n < 100; n += 1)
      void pace.turn(['crowd', 'guest', `${n}`]).then(() => begun.push('crowd'));
    void pace.turn(['other', 'named', 'session']).then(() => begun.push('other'));
    await nextIteration();
    await nextIteration();
    expect(begun.slice(0, 4)).toContain('other');
  });

  it('measures what heavy work takes, with all that follows from it in the same iteration', async () => {
    const pace = new EventLoopPacer();
    const took = new Promise<number>((resolve) => {
      pace.beginHeavy(() => {
        busy(5);
        void Promise.resolve().then(() => {
          busy(5);
        });
      }, resolve);
    });
    expect(await took).toBeGreaterThanOrEqual(10);
  });

  it('rests after heavy work while requests are in flight, and then begins the next on its own', async () => {
    const pace = new EventLoopPacer(() => false);
    let endedAt = Infinity;
    pace.beginHeavy(() => {
      busy(20);
      endedAt = performance.now();
    });
    const rest = await new Promise<number>((resolve) => {
      pace.beginHeavy(() => {
        resolve(performance.now() - endedAt);
      });
    });
    // A quarter of the 20 ms; a timer may be a little early.
    expect(rest).toBeGreaterThan(3);
  });
});
