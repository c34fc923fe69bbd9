import { describe, expect, it } from '@jest/globals';
import { InFlight } from '../../../src/session/store/in-flight.js';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { gate } from '../../../packages/portico/test/support/gate.js';

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

  it('is shared by all callers who ask for the same thing of one session meanwhile', async () => {
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

  it('is not shared with callers who ask after it was dropped, and does not disturb later work', async () => {
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

  describe('whose callers may leave', () => {
    const callers = (count: number): AbortController[] =>
      Array.from({ length: count }, () => new AbortController());
    /** Work that lasts until it is aborted. */
    const endless = (): { work: (signal?: AbortSignal) => Promise<never>; signals: AbortSignal[] } => {
      const signals: AbortSignal[] = [];
      const work = (signal?: AbortSignal): Promise<never> =>
        new Promise((_resolve, reject) => {
          if (signal === undefined) return;
          signals.push(signal);
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        });
      return { work, signals };
    };

    it('is aborted by the last of them, and not before', async () => {
      const inFlight = new InFlight();
      const { work, signals } = endless();
      const [one, two] = callers(2);
      const asked = [one, two].map((caller) =>
        inFlight.share('session', 'read', work, caller?.signal).catch((error: unknown) => String(error)),
      );
      one?.abort();
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      two?.abort();
      expect(await Promise.all(asked)).toEqual(['Error: aborted', 'Error: aborted']);
      expect(inFlight.size).toBe(0);
    });

    it('is never aborted while one of its callers cannot leave', () => {
      const inFlight = new InFlight();
      const { work, signals } = endless();
      const [caller] = callers(1);
      inFlight.share('session', 'read', work, caller?.signal).catch(() => undefined);
      void inFlight.share('session', 'read', work);
      caller?.abort();
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    });

    it('is started again for a caller who asks after it was aborted', async () => {
      const inFlight = new InFlight();
      const [caller] = callers(1);
      const left = inFlight.share('session', 'read', endless().work, caller?.signal);
      caller?.abort();
      expect(await inFlight.share('session', 'read', () => Promise.resolve('new'))).toBe('new');
      await expect(left).rejects.toThrow('aborted');
    });
  });

  describe('whose answers are kept', () => {
    const REUSE = { milliseconds: 600_000, mostCharacters: 100 };
    const ask = (inFlight: InFlight, { work }: { work: () => Promise<number> }, session = 'session') =>
      inFlight.share(session, 'read', work);

    it('is reused for the same session and name only', async () => {
      const inFlight = new InFlight(REUSE);
      const { work, open, calls } = answers();
      open();
      expect([await ask(inFlight, { work }), await ask(inFlight, { work })]).toEqual([1, 1]);
      expect(await ask(inFlight, { work }, 'other')).toBe(2);
      expect(await inFlight.share('session', 'another read', work)).toBe(3);
      expect(calls()).toBe(3);
    });

    it('is not reused after a drop, even if the drop came before the answer', async () => {
      const inFlight = new InFlight(REUSE);
      const { work, open } = answers();
      const early = ask(inFlight, { work });
      inFlight.drop('session');
      open();
      await early;
      expect(await ask(inFlight, { work })).toBe(2);
      inFlight.drop('session');
      expect(await ask(inFlight, { work })).toBe(3);
    });

    it('is not reused after its time', async () => {
      const inFlight = new InFlight({ ...REUSE, milliseconds: 1 });
      const { work, open } = answers();
      open();
      await ask(inFlight, { work });
      await eventually(() => inFlight.size === 0);
      expect(await ask(inFlight, { work })).toBe(2);
    });

    it('is not kept if it does not fit or has failed', async () => {
      const inFlight = new InFlight(REUSE);
      const large = (): Promise<string> => Promise.resolve('x'.repeat(60));
      await inFlight.share('one', 'read', large);
      await inFlight.share('two', 'read', large);
      const failed = inFlight.share('three', 'read', () => Promise.reject(new Error('down')));
      await expect(failed).rejects.toThrow('down');
      expect(inFlight.size).toBe(1);
    });
  });
});
