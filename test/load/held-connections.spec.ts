import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { HeldConnections } from '../../src/load/held-connections.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

/** A connection that says whether it is read. */
class FakeConnection {
  isRead = true;
  destroyed = false;
  readonly pause = (): this => {
    this.isRead = false;
    return this;
  };
  readonly resume = (): this => {
    this.isRead = true;
    return this;
  };
}

/** As many connections, held in order, without room for any of them. */
function holding(count: number): {
  state: { now: number; room: number; answers: number };
  held: HeldConnections;
  connections: readonly FakeConnection[];
  read: () => boolean[];
} {
  const state = { now: 1000, room: 0, answers: 0 };
  const held = new HeldConnections({
    room: () => state.room,
    answers: () => state.answers,
    now: () => state.now,
  });
  const connections = Array.from({ length: count }, () => new FakeConnection());
  for (const connection of connections) held.hold(connection as never);
  return { state, held, connections, read: () => connections.map(({ isRead }) => isRead) };
}

describe('connections that have been answered while the process is busy', () => {
  it('are not read while there is no room', () => {
    const { held, read } = holding(2);
    held.release();
    expect(read()).toEqual([false, false]);
    expect(held.size).toBe(2);
  });

  it('are read again in the order of their answers, as many as there is room for', () => {
    const { state, held, connections, read } = holding(4);
    held.hold(connections[0] as never);
    state.room = 2;
    held.release();
    expect(read()).toEqual([true, true, false, false]);
    held.hold(connections[0] as never);
    state.room = 1.5;
    held.release();
    expect(read()).toEqual([false, true, true, false]);
    state.room = Infinity;
    held.release();
    expect(read()).toEqual([true, true, true, true]);
    expect(held.size).toBe(0);
  });

  it('are too late after 700 ms, and are read a few at a time to be refused', async () => {
    const { state, held, connections, read } = holding(4);
    state.answers = 200;
    state.now += 699;
    held.release();
    expect(read()).toEqual([false, false, false, false]);
    state.now += 1;
    held.release();
    expect(read()).toEqual([true, false, false, false]);
    expect(connections.map((each) => held.isLate(each as never))).toEqual([true, false, false, false]);
    expect(held.size).toBe(3);
    await nextIteration();
    // What comes now has not waited.
    expect(held.isLate(connections[0] as never)).toBe(false);
    // However often it is looked at.
    for (let n = 0; n < 10; n += 1) {
      state.now += 4;
      held.release();
    }
    expect(read()).toEqual([true, true, true, false]);
  });

  it('are read after five seconds, at most as many of them as are answered', () => {
    const { state, held, read } = holding(5);
    state.now += 4999;
    held.release();
    expect(read()).toEqual([false, false, false, false, false]);
    state.answers = 200;
    state.now += 5;
    held.release();
    expect(read()).toEqual([true, false, false, false, false]);
    state.now += 15;
    held.release();
    expect(read()).toEqual([true, true, true, true, false]);
  });

  it('are refused sooner when there is room, and let none wait that is in time', () => {
    const { state, held, connections, read } = holding(2);
    state.now += 800;
    held.release();
    const next = new FakeConnection();
    held.hold(next as never);
    state.room = 2;
    held.release();
    expect([...read(), next.isRead]).toEqual([true, false, true]);
    expect(held.isLate(connections[0] as never)).toBe(true);
    expect(held.isLate(next as never)).toBe(false);
  });

  it('are not refused, however late, when there is room for everybody', () => {
    const { state, held, connections, read } = holding(2);
    state.now += 800;
    held.release();
    held.hold(new FakeConnection() as never);
    state.now += 800;
    state.room = Infinity;
    held.release();
    expect(read()).toEqual([true, true]);
    expect(connections.map((each) => held.isLate(each as never))).toEqual([false, false]);
    expect(held.size).toBe(0);
  });

  it('are refused although others were refused in the same iteration of the event loop', async () => {
    const { state, held, connections } = holding(2);
    state.answers = 200;
    state.now += 700;
    const second = nextIteration().then(() => {
      state.now += 20;
      held.release();
    });
    held.release();
    const third = nextIteration();
    await second;
    await third;
    // Only the first has been read by now.
    expect(connections.map((each) => held.isLate(each as never))).toEqual([false, true]);
    await nextIteration();
    expect(connections.map((each) => held.isLate(each as never))).toEqual([false, false]);
  });

  it('wait anew after a refusal', () => {
    const { state, held, connections, read } = holding(1);
    state.answers = 1;
    state.now += 5000;
    held.release();
    held.hold(connections[0] as never);
    state.now += 699;
    held.release();
    expect(read()).toEqual([false]);
    state.room = 1;
    held.release();
    expect(read()).toEqual([true]);
  });

  it('take no room once they are closed', () => {
    const { state, held, connections, read } = holding(3);
    for (const closed of connections.slice(0, 2)) closed.destroyed = true;
    state.room = 1;
    held.release();
    expect(read()).toEqual([false, false, true]);
    expect(held.size).toBe(0);
    held.hold(connections[0] as never);
    expect(held.size).toBe(0);
  });

  it('are looked at by a timer', async () => {
    const { state, read } = holding(1);
    state.room = 1;
    await eventually(() => read()[0] === true);
  });
});
