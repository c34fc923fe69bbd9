import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RequestCoalescer } from '../../src/session/request-coalescer.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { gate } from '../../packages/portico/test/support/gate.js';

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
    const coalescer = new RequestCoalescer();
    const asked = Array.from({ length: 50 }, () => coalescer.share('session', 'read', work));
    open();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([1]));
  });

  it('is not kept in memory by the signals of its callers', async () => {
    const { work, open } = answers();
    const coalescer = new RequestCoalescer();
    const callers = [new AbortController().signal, new AbortController().signal];
    const asked = callers.map((caller) => coalescer.share('session', 'read', work, caller));
    const listening = (): number[] => callers.map((caller) => getEventListeners(caller, 'abort').length);
    expect(listening()).toEqual([1, 1]);
    open();
    await Promise.all(asked);
    expect(listening()).toEqual([0, 0]);
  });

  it.each([
    ['another session', 'other', 'read'],
    ['another name', 'session', 'other'],
  ])('is not shared with %s', async (_case, session, name) => {
    const { work, open, calls } = answers();
    const coalescer = new RequestCoalescer();
    const asked = [coalescer.share('session', 'read', work), coalescer.share(session, name, work)];
    open();
    await Promise.all(asked);
    expect(calls()).toBe(2);
  });

  it('is not kept once it has ended, well or badly', async () => {
    const coalescer = new RequestCoalescer();
    expect(await coalescer.share('session', 'read', () => Promise.resolve(1))).toBe(1);
    expect(await coalescer.share('session', 'read', () => Promise.resolve(2))).toBe(2);
    await expect(coalescer.share('session', 'read', () => Promise.reject(new Error('down')))).rejects.toThrow(
      'down',
    );
    expect(await coalescer.share('session', 'read', () => Promise.resolve(3))).toBe(3);
    expect(coalescer.size).toBe(0);
  });

  it('is not shared with callers who ask after it was dropped, and does not disturb later work', async () => {
    const first = answers();
    const second = answers();
    const coalescer = new RequestCoalescer();
    const early = coalescer.share('session', 'read', first.work);
    coalescer.forget('session');
    const late = coalescer.share('session', 'read', second.work);
    first.open();
    await early;
    const later = coalescer.share('session', 'read', second.work);
    second.open();
    await Promise.all([late, later]);
    expect([first.calls(), second.calls()]).toEqual([1, 1]);
  });

  it('goes on to be shared when other work of the session has ended', async () => {
    const { work, open, calls } = answers();
    const coalescer = new RequestCoalescer();
    const early = coalescer.share('session', 'read', work);
    await coalescer.share('session', 'other', () => Promise.resolve(0));
    const late = coalescer.share('session', 'read', work);
    open();
    expect([await early, await late, calls()]).toEqual([1, 1, 1]);
  });

  it('need not be there to be dropped', () => {
    const coalescer = new RequestCoalescer();
    coalescer.forget('nobody');
    expect(coalescer.size).toBe(0);
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
      const coalescer = new RequestCoalescer();
      const { work, signals } = endless();
      const [one, two] = callers(2);
      const asked = [one, two].map((caller) =>
        coalescer.share('session', 'read', work, caller?.signal).catch((error: unknown) => String(error)),
      );
      one?.abort();
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      two?.abort();
      expect(await Promise.all(asked)).toEqual(['Error: aborted', 'Error: aborted']);
      expect(coalescer.size).toBe(0);
    });

    it('is never aborted while one of its callers cannot leave', () => {
      const coalescer = new RequestCoalescer();
      const { work, signals } = endless();
      const [caller] = callers(1);
      coalescer.share('session', 'read', work, caller?.signal).catch(() => undefined);
      void coalescer.share('session', 'read', work);
      caller?.abort();
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    });

    it('is aborted at once if its only caller has left before, and not if another waits', () => {
      const coalescer = new RequestCoalescer();
      const { work, signals } = endless();
      const [one] = callers(1);
      coalescer.share('session', 'read', work, AbortSignal.abort()).catch(() => undefined);
      coalescer.share('session', 'other', work, one?.signal).catch(() => undefined);
      coalescer.share('session', 'other', work, AbortSignal.abort()).catch(() => undefined);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    });

    it('does not disturb what was started in its place when it ends late', async () => {
      const coalescer = new RequestCoalescer();
      const [caller] = callers(1);
      const [other, first, second] = [answers(), answers(), answers()];
      void coalescer.share('session', 'other', other.work);
      const left = coalescer.share('session', 'read', first.work, caller?.signal);
      caller?.abort();
      void coalescer.share('session', 'read', second.work);
      first.open();
      await left;
      await new Promise(setImmediate);
      void coalescer.share('session', 'read', second.work);
      expect(second.calls()).toBe(1);
    });

    it('is started again for a caller who asks after it was aborted', async () => {
      const coalescer = new RequestCoalescer();
      const [caller] = callers(1);
      const left = coalescer.share('session', 'read', endless().work, caller?.signal);
      caller?.abort();
      expect(await coalescer.share('session', 'read', () => Promise.resolve('new'))).toBe('new');
      await expect(left).rejects.toThrow('aborted');
    });
  });

  describe('whose answers are kept', () => {
    const REUSE = { milliseconds: 600_000, mostCharacters: 100 };
    const ask = (
      coalescer: RequestCoalescer,
      { work }: { work: () => Promise<number> },
      session = 'session',
    ) => coalescer.share(session, 'read', work);

    it('is reused for the same session and name only', async () => {
      const coalescer = new RequestCoalescer(REUSE);
      const { work, open, calls } = answers();
      open();
      expect([await ask(coalescer, { work }), await ask(coalescer, { work })]).toEqual([1, 1]);
      expect(await ask(coalescer, { work }, 'other')).toBe(2);
      expect(await coalescer.share('session', 'another read', work)).toBe(3);
      expect(calls()).toBe(3);
    });

    it('is not reused after a drop, even if the drop came before the answer', async () => {
      const coalescer = new RequestCoalescer(REUSE);
      const { work, open } = answers();
      const early = ask(coalescer, { work });
      coalescer.forget('session');
      open();
      await early;
      expect(await ask(coalescer, { work })).toBe(2);
      coalescer.forget('session');
      expect(await ask(coalescer, { work })).toBe(3);
    });

    it('is not reused after its time', async () => {
      const coalescer = new RequestCoalescer({ ...REUSE, milliseconds: 1 });
      const { work, open } = answers();
      open();
      await ask(coalescer, { work });
      await eventually(() => coalescer.size === 0);
      expect(await ask(coalescer, { work })).toBe(2);
    });

    it('is kept if it just fits, or is nothing, and not if it is too large by a character', async () => {
      const coalescer = new RequestCoalescer(REUSE);
      for (const [text, size] of [
        ['x'.repeat(99), 0],
        ['x'.repeat(98), 1],
        [undefined, 1],
      ] as const) {
        await coalescer.share(`session ${text}`, 'read', () => Promise.resolve(text));
        await new Promise(setImmediate);
        expect(coalescer.size).toBe(size);
      }
    });

    it('takes no room from others once it was dropped, or its callers have left', async () => {
      const coalescer = new RequestCoalescer(REUSE);
      const first = answers();
      first.open();
      await ask(coalescer, first);
      const text = (): Promise<string> => Promise.resolve('x'.repeat(97));
      const dropped = coalescer.share('dropped', 'read', text);
      coalescer.forget('dropped');
      await dropped;
      const caller = new AbortController();
      void coalescer.share('left', 'other', () => new Promise(() => undefined));
      const left = coalescer.share('left', 'read', text, caller.signal);
      caller.abort();
      await left;
      await new Promise(setImmediate);
      await ask(coalescer, { work: () => Promise.resolve(1) }, 'new');
      expect(await ask(coalescer, { work: () => Promise.resolve(2) })).toBe(1);
    });

    it('is not kept if it does not fit or has failed', async () => {
      const coalescer = new RequestCoalescer(REUSE);
      const large = (): Promise<string> => Promise.resolve('x'.repeat(60));
      await coalescer.share('one', 'read', large);
      await coalescer.share('two', 'read', large);
      const failed = coalescer.share('three', 'read', () => Promise.reject(new Error('down')));
      await expect(failed).rejects.toThrow('down');
      expect(coalescer.size).toBe(1);
    });
  });
});
