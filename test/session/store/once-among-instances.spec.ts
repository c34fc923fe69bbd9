import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LeaseTable } from '../../../src/session/store/lease-table.js';
import { onceAmongInstances } from '../../../src/session/store/once-among-instances.js';
import { type SessionStore } from '../../../src/session/store/session-store.js';
import { holdTimers } from '../../../packages/portico/test/support/client/hold-timers.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { gate } from '../../../packages/portico/test/support/gate.js';
import { manualClock, type ManualClock } from '../../../packages/portico/test/support/manual-clock.js';

describe('work that is done once among instances', () => {
  let clock: ManualClock;
  let store: SessionStore;
  let asked: number;
  beforeEach(() => {
    clock = manualClock();
    asked = 0;
    const leases = new LeaseTable(clock.now);
    store = {
      lease: (...of: Parameters<LeaseTable['lease']>) => {
        asked += 1;
        return Promise.resolve(leases.lease(...of));
      },
      settle: (...of: Parameters<LeaseTable['settle']>) => Promise.resolve(leases.settle(...of)),
    } as SessionStore;
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    expect(asked).toBeGreaterThan(0);
  });

  it('is done by one instance while the others wait', async () => {
    const held = gate();
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      await held.passed;
    };
    const all = Array.from({ length: 10 }, () => onceAmongInstances(store, 'session', work));
    await eventually(() => asked > 20);
    held.open();
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1);
    expect(runs).toBe(1);
  });

  it('is done by the next instance when the first one fails, which learns that it had to wait', async () => {
    const held = gate();
    const first = onceAmongInstances(store, 'session', async () => {
      await held.passed;
      throw new Error('the platform is down');
    });
    const told: boolean[] = [];
    const second = onceAmongInstances(store, 'session', (waited) => {
      told.push(waited);
      return Promise.resolve();
    });
    held.open();
    await expect(first).rejects.toThrow('the platform is down');
    expect(await second).toBe(true);
    expect(told).toEqual([true]);
  });

  it('is told that it did not have to wait when nobody else was there', async () => {
    const told: boolean[] = [];
    await onceAmongInstances(store, 'session', (waited) => {
      told.push(waited);
      return Promise.resolve();
    });
    expect(told).toEqual([false]);
  });

  it('is not waited for longer than twelve seconds', async () => {
    await store.lease('session', 'a slow instance', 60_000);
    const time = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const second = onceAmongInstances(store, 'session', () => Promise.resolve());
    const outcome = second.catch(String);
    time.mockReturnValue(13_000);
    const before = asked;
    await eventually(() => asked > before + 1);
    time.mockReturnValue(13_001);
    expect(await outcome).toMatch('Another instance is still working on it');
  });

  it('keeps its lease for as long as it takes, and no longer', async () => {
    holdTimers('setInterval');
    const held = gate();
    const first = onceAmongInstances(store, 'session', () => held.passed);
    await eventually(() => asked === 1);
    await new Promise(setImmediate);
    for (let second = 1; second <= 5; second += 1) {
      clock.advance(1000);
      vi.advanceTimersByTime(1000);
      expect(asked).toBe(1 + second);
      expect(await store.lease('session', 'another', 3000)).toBe('held');
      asked -= 1;
    }
    held.open();
    expect(await first).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(asked).toBe(6);
  });

  it('is done by another instance when the first one has crashed', async () => {
    await store.lease('session', 'an instance that was killed', 3000);
    const second = onceAmongInstances(store, 'session', () => Promise.resolve());
    await eventually(() => asked > 3);
    clock.advance(3001);
    expect(await second).toBe(true);
  });
});
