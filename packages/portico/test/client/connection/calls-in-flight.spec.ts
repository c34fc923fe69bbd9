import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ClientClosedError,
  ExecutionCancelledError,
  PlatformTimeoutError,
  QueueTimeoutError,
} from '../../../src/client/index.js';
import { CallsInFlight, type CallInFlight } from '../../../src/client/connection/calls-in-flight.js';

const LIMITS = { timeoutMs: 100, queueTimeoutMs: 50 };
const LATE = 'The platform did not answer within 100 ms (timeoutMs).';
const QUEUED = 'The call waited 50 ms (queueTimeoutMs) for its turn';
const never = (): Promise<never> => new Promise(() => undefined);

describe('a call', () => {
  let calls: CallsInFlight;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    calls = new CallsInFlight();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A call that is in flight, and how it ended. */
  function begun(work: (call: CallInFlight) => Promise<unknown> = never, cancel?: AbortSignal) {
    const state: { call?: CallInFlight; error?: Error; value?: unknown } = {};
    const ended = calls
      .run(LIMITS, cancel, (call) => {
        state.call = call;
        return work(call);
      })
      .then(
        (value) => (state.value = value),
        (error: unknown) => (state.error = error as Error),
      );
    if (state.call === undefined) throw new Error('The work did not begin.');
    return { state, ended, call: state.call };
  }

  it('is in flight until its work is done, and is then timed no longer', async () => {
    const work = Promise.withResolvers<string>();
    const { state, ended, call } = begun(() => work.promise);
    expect([calls.size, vi.getTimerCount()]).toEqual([1, 1]);

    work.resolve('done');
    await ended;

    expect([calls.size, vi.getTimerCount(), state.value, call.signal.aborted]).toEqual([0, 0, 'done', false]);
  });

  it('fails as its work does', async () => {
    const { state, ended } = begun(() => Promise.reject(new RangeError('mine')));
    await ended;

    expect([state.error, calls.size, vi.getTimerCount()]).toEqual([new RangeError('mine'), 0, 0]);
  });

  it('ends when the time of the platform is over, and says so to everything that waits for it', async () => {
    const { state, ended, call } = begun();
    await vi.advanceTimersByTimeAsync(99);
    expect([call.isOver, call.remaining(), call.endedBy]).toEqual([false, 1, undefined]);

    await vi.advanceTimersByTimeAsync(1);
    await ended;

    expect(state.error).toBeInstanceOf(PlatformTimeoutError);
    expect(state.error).toMatchObject({ message: LATE, retryable: true });
    expect(call.endedBy).toBe(state.error);
    expect(call.signal.reason).toBe(state.error);
    expect([call.isOver, calls.size]).toEqual([true, 0]);
  });

  it('ends when its time for waiting is over, in which the clock of the platform stands still', async () => {
    const turn = Promise.withResolvers<string>();
    const { state, ended, call } = begun(async (made) => {
      await made.wait(turn.promise);
      await made.wait(never());
    });
    await vi.advanceTimersByTimeAsync(30);
    expect(call.remaining()).toBe(100);
    turn.resolve('now');
    await vi.advanceTimersByTimeAsync(0);
    expect(call.remaining()).toBe(100);

    await vi.advanceTimersByTimeAsync(19);
    expect(state.error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await ended;

    expect(state.error).toBeInstanceOf(QueueTimeoutError);
    expect(state.error).toMatchObject({ message: expect.stringContaining(QUEUED), retryable: true });
  });

  it('gives what it waited for, and goes on with the time that was left', async () => {
    const { state, ended, call } = begun(async (made) => {
      const got = await made.wait(Promise.resolve('turn'));
      await never();
      return got;
    });
    await vi.advanceTimersByTimeAsync(40);
    expect(call.remaining()).toBe(60);
    const waited = call.wait(Promise.resolve('turn'));
    await expect(waited).resolves.toBe('turn');
    await vi.advanceTimersByTimeAsync(59);
    expect([state.error, call.remaining(), call.isOver]).toEqual([undefined, 1, false]);
    await vi.advanceTimersByTimeAsync(1);
    await ended;

    expect(state.error).toMatchObject({ message: LATE });
  });

  it('goes on with the clock of the platform when what it waited for failed', async () => {
    const { call } = begun();
    await expect(call.wait(Promise.reject(new RangeError('no turn')))).rejects.toThrow('no turn');

    vi.advanceTimersByTime(10);

    expect(call.remaining()).toBe(90);
  });

  it('has all of its time again when it is renewed', async () => {
    const { state, ended, call } = begun();
    await vi.advanceTimersByTimeAsync(90);
    call.renew();
    expect(call.remaining()).toBe(100);
    await vi.advanceTimersByTimeAsync(99);
    expect([state.error, call.isOver]).toEqual([undefined, false]);
    await vi.advanceTimersByTimeAsync(1);
    await ended;

    expect(state.error).toBeInstanceOf(PlatformTimeoutError);
  });

  it('has all of its time again after a wait as well', async () => {
    const { state, ended, call } = begun();
    await vi.advanceTimersByTimeAsync(60);
    await call.wait(Promise.resolve());
    call.renew();
    await vi.advanceTimersByTimeAsync(99);
    expect(state.error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await ended;

    expect(state.error).toBeInstanceOf(PlatformTimeoutError);
  });

  it('is not timed again once it has ended', async () => {
    const { call, ended } = begun();
    calls.close();
    await ended;
    call.renew();
    await call.wait(Promise.resolve());

    expect(vi.getTimerCount()).toBe(0);
  });

  it('may not send anything when its time is over, although its timer is late', () => {
    const { call } = begun();
    call.requireTime();
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100);
    expect(call.isOver).toBe(true);
    expect(() => {
      call.requireTime();
    }).toThrow(PlatformTimeoutError);
    now.mockRestore();

    expect(call.endedBy).toBeInstanceOf(PlatformTimeoutError);
    expect(() => {
      call.requireTime();
    }).toThrow(call.endedBy);
  });

  it('may not send anything when it waited for too long, although its timer is late', async () => {
    const { call } = begun();
    const turn = Promise.withResolvers<undefined>();
    const waiting = call.wait(turn.promise);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 50);
    turn.resolve(undefined);
    await waiting;
    now.mockRestore();

    expect(() => {
      call.requireTime();
    }).toThrow(QueueTimeoutError);
  });

  it('stays in flight while it is held, and its time still ends it', async () => {
    let release = (): void => undefined;
    const { call, ended, state } = begun((made) => {
      release = made.hold();
      return Promise.resolve('begun');
    });
    await ended;
    expect([state.value, calls.size, vi.getTimerCount()]).toEqual(['begun', 1, 1]);

    await vi.advanceTimersByTimeAsync(100);
    await nextTurn();
    expect(call.endedBy).toBeInstanceOf(PlatformTimeoutError);
    expect(call.signal.aborted).toBe(true);
    release();

    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('that ended before its turn to be told that it is late is not told', async () => {
    const work = Promise.withResolvers<string>();
    const { call, ended } = begun(() => work.promise);
    vi.advanceTimersToNextTimer();
    work.resolve('just in time');
    expect(await ended).toBe('just in time');
    await nextTurn();

    expect([call.endedBy, call.signal.aborted]).toEqual([undefined, false]);
  });

  it.each([
    [new Error('mine'), 'The call was canceled by its caller.'],
    [null, 'The call was canceled by its caller.'],
    [undefined, 'The call was canceled by its caller.'],
    [new DOMException('late', 'TimeoutError'), "The time limit of the caller's signal passed."],
  ])('ends by the signal of its caller, whose reason is its cause: %s', async (reason, message) => {
    const cancel = new AbortController();
    const { state, ended, call } = begun(never, cancel.signal);
    cancel.abort(reason);
    await ended;

    expect(state.error).toBeInstanceOf(ExecutionCancelledError);
    expect(state.error).toMatchObject({ message, cause: cancel.signal.reason });
    expect([call.endedBy, calls.size]).toEqual([state.error, 0]);
    expect(getEventListeners(cancel.signal, 'abort')).toEqual([]);
    await expect(calls.run(LIMITS, cancel.signal, never)).rejects.toThrow(message);
    expect(calls.size).toBe(0);
  });

  it('keeps no listener on the signal of its caller', async () => {
    const { signal } = new AbortController();
    const work = Promise.withResolvers<string>();
    const { ended } = begun(() => work.promise, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    work.resolve('done');
    await ended;

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends when the connection is closed, and no other one begins', async () => {
    const both = [begun(), begun()];
    calls.close();
    await Promise.all(both.map(({ ended }) => ended));

    for (const { state, call } of both) {
      expect(state.error).toEqual(new ClientClosedError('The client is closed.'));
      expect(call.signal.reason).toBe(state.error);
    }
    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0]);
    expect(both.map(({ call }) => call.isOver)).toEqual([true, true]);
    const work = vi.fn(never);
    await expect(calls.run(LIMITS, undefined, work)).rejects.toThrow(ClientClosedError);
    expect(work).not.toHaveBeenCalled();
  });

  it('is ended by what came first', async () => {
    const cancel = new AbortController();
    const { call, ended } = begun((made) => {
      made.hold();
      return Promise.resolve();
    }, cancel.signal);
    await ended;
    cancel.abort();
    calls.close();

    expect(vi.getTimerCount()).toBe(0);
    expect(call.endedBy).toBeInstanceOf(ExecutionCancelledError);
    expect(call.signal.reason).toBe(call.endedBy);
  });

  it('is told in its turn that its time is over, eight in one iteration of the event loop', async () => {
    const all = Array.from({ length: 20 }, () => begun());
    const over = (): number => all.filter(({ call }) => call.endedBy !== undefined).length;
    vi.advanceTimersByTime(100);
    const told = [over()];
    while (over() < 20) {
      await nextTurn();
      told.push(over());
    }
    await Promise.all(all.map(({ ended }) => ended));

    expect(told).toEqual([0, 8, 16, 20]);
  });
});
