import { describe, expect, it } from '@jest/globals';
import { InFlight } from '../../src/session/in-flight.js';
import { gate } from '../support/gate.js';

describe('work in flight', () => {
  const answers = (): { work: () => Promise<number>; calls: () => number; open: () => void } => {
    const held = gate();
    let calls = 0;
    return {
      work: async () => {
        const call = (calls += 1);
        await held.passed;
        return call;
      },
      calls: () => calls,
      open: held.open,
    };
  };

  it('is shared by all who ask for the same of one session meanwhile', async () => {
    const { work, open } = answers();
    const inFlight = new InFlight();
    const asked = Array.from({ length: 50 }, () => inFlight.share('session', 'read', work));
    open();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([1]));
  });

  it.each([
    ['another session', 'other', 'read'],
    ['another name', 'session', 'other'],
  ])('is not shared with %s', async (_case, session, name) => {
    const { work, open, calls } = answers();
    const inFlight = new InFlight();
    const asked = [inFlight.share('session', 'read', work), inFlight.share(session, name, work)];
    open();
    await Promise.all(asked);
    expect(calls()).toBe(2);
  });

  it('is not kept once it has ended, well or badly', async () => {
    const inFlight = new InFlight();
    expect(await inFlight.share('session', 'read', () => Promise.resolve(1))).toBe(1);
    expect(await inFlight.share('session', 'read', () => Promise.resolve(2))).toBe(2);
    await expect(inFlight.share('session', 'read', () => Promise.reject(new Error('down')))).rejects.toThrow(
      'down',
    );
    expect(await inFlight.share('session', 'read', () => Promise.resolve(3))).toBe(3);
    expect(inFlight.size).toBe(0);
  });

  it('is shared with nobody who asks after it was dropped, and does not disturb what came after', async () => {
    const first = answers();
    const second = answers();
    const inFlight = new InFlight();
    const early = inFlight.share('session', 'read', first.work);
    inFlight.drop('session');
    const late = inFlight.share('session', 'read', second.work);
    first.open();
    await early;
    const later = inFlight.share('session', 'read', second.work);
    second.open();
    await Promise.all([late, later]);
    expect([first.calls(), second.calls()]).toEqual([1, 1]);
  });
});
