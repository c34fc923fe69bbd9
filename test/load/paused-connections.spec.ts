import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PausedConnections } from '../../src/load/paused-connections.js';
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

const NETWORK = '192.0.2.1';

/** As many connections, paused in order, without room for any of them. */
function pausing(count: number): {
  state: { now: number; room: number; answers: number };
  paused: PausedConnections;
  connections: readonly FakeConnection[];
  read: () => boolean[];
} {
  const state = { now: 1000, room: 0, answers: 0 };
  const paused = new PausedConnections({
    room: () => state.room,
    answers: () => state.answers,
    now: () => state.now,
  });
  const connections = Array.from({ length: count }, () => new FakeConnection());
  for (const connection of connections) paused.pause(connection as never, NETWORK);
  return { state, paused, connections, read: () => connections.map(({ isRead }) => isRead) };
}

describe('connections that have been answered while the process is busy', () => {
  it('are not read while there is no room', () => {
    const { paused, read } = pausing(2);
    paused.check();
    expect(read()).toEqual([false, false]);
    expect(paused.size).toBe(2);
  });

  it('are read again in the order of their answers, as many as there is room for', async () => {
    const { state, paused, connections, read } = pausing(4);
    paused.pause(connections[0] as never, NETWORK);
    state.room = 2;
    paused.check();
    expect(read()).toEqual([true, true, false, false]);
    paused.pause(connections[0] as never, NETWORK);
    await nextIteration();
    state.room = 1.5;
    paused.check();
    expect(read()).toEqual([false, true, true, false]);
    state.room = Infinity;
    paused.check();
    expect(read()).toEqual([true, true, true, true]);
    expect(paused.size).toBe(0);
  });

  it('are read again by turns of their networks: a crowd keeps none of another network waiting', () => {
    const { state, paused, read } = pausing(4);
    const other = new FakeConnection();
    paused.pause(other as never, '192.0.2.2');
    state.room = 2;
    paused.check();
    expect([...read(), other.isRead]).toEqual([true, false, false, false, true]);
  });

  it('are read after an answer, too, where there is room, while the late ones wait for the next check', () => {
    const { state, paused, connections, read } = pausing(1);
    state.now += 800;
    paused.check();
    const next = new FakeConnection();
    paused.pause(next as never, NETWORK);
    state.room = 2;
    paused.release();
    expect([...read(), next.isRead]).toEqual([false, true]);
    paused.check();
    expect(read()).toEqual([true]);
    expect(paused.late.has(connections[0] as never)).toBe(true);
  });

  it('take the room that there is until their requests have arrived', async () => {
    const { state, paused, read } = pausing(4);
    state.room = 2;
    paused.check();
    paused.check();
    expect(read()).toEqual([true, true, false, false]);
    state.room = 3;
    paused.check();
    expect(read()).toEqual([true, true, true, false]);
    await nextIteration();
    state.room = 1;
    paused.check();
    expect(read()).toEqual([true, true, true, true]);
  });

  it('are too late after 700 ms, and are read a few at a time to be refused', async () => {
    const { state, paused, connections, read } = pausing(4);
    state.answers = 200;
    state.now += 699;
    paused.check();
    expect(read()).toEqual([false, false, false, false]);
    state.now += 1;
    paused.check();
    expect(read()).toEqual([true, false, false, false]);
    expect(connections.map((each) => paused.late.has(each as never))).toEqual([true, false, false, false]);
    expect(paused.size).toBe(3);
    await nextIteration();
    // What comes now has not waited.
    expect(paused.late.has(connections[0] as never)).toBe(false);
    // However often it is looked at.
    for (let n = 0; n < 10; n += 1) {
      state.now += 4;
      paused.check();
    }
    expect(read()).toEqual([true, true, true, false]);
  });

  it('are read after five seconds, at most as many of them as are answered', () => {
    const { state, paused, read } = pausing(5);
    state.now += 4999;
    paused.check();
    expect(read()).toEqual([false, false, false, false, false]);
    state.answers = 200;
    state.now += 5;
    paused.check();
    expect(read()).toEqual([true, false, false, false, false]);
    state.now += 15;
    paused.check();
    expect(read()).toEqual([true, true, true, true, false]);
  });

  it('are refused sooner when there is room, and let none wait that is in time', () => {
    const { state, paused, connections, read } = pausing(2);
    state.now += 800;
    paused.check();
    const next = new FakeConnection();
    paused.pause(next as never, NETWORK);
    state.room = 2;
    paused.check();
    expect([...read(), next.isRead]).toEqual([true, false, true]);
    expect(paused.late.has(connections[0] as never)).toBe(true);
    expect(paused.late.has(next as never)).toBe(false);
  });

  it('are not refused, however late, when there is room for all of them', () => {
    const { state, paused, connections, read } = pausing(2);
    state.now += 800;
    paused.check();
    paused.pause(new FakeConnection() as never, NETWORK);
    state.now += 800;
    state.room = Infinity;
    paused.check();
    expect(read()).toEqual([true, true]);
    expect(connections.map((each) => paused.late.has(each as never))).toEqual([false, false]);
    expect(paused.size).toBe(0);
  });

  it('are refused although others were refused in the same iteration of the event loop', async () => {
    const { state, paused, connections } = pausing(2);
    state.answers = 200;
    state.now += 700;
    const second = nextIteration().then(() => {
      state.now += 20;
      paused.check();
    });
    paused.check();
    const third = nextIteration();
    await second;
    await third;
    // Only the first has been read by now.
    expect(connections.map((each) => paused.late.has(each as never))).toEqual([false, true]);
    await nextIteration();
    expect(connections.map((each) => paused.late.has(each as never))).toEqual([false, false]);
  });

  it('wait anew after a refusal', () => {
    const { state, paused, connections, read } = pausing(1);
    state.answers = 1;
    state.now += 5000;
    paused.check();
    paused.pause(connections[0] as never, NETWORK);
    state.now += 699;
    paused.check();
    expect(read()).toEqual([false]);
    state.room = 1;
    paused.check();
    expect(read()).toEqual([true]);
  });

  it('take no room once they are closed', () => {
    const { state, paused, connections, read } = pausing(3);
    for (const closed of connections.slice(0, 2)) closed.destroyed = true;
    state.room = 1;
    paused.check();
    expect(read()).toEqual([false, false, true]);
    expect(paused.size).toBe(0);
    paused.pause(connections[0] as never, NETWORK);
    expect(paused.size).toBe(0);
  });

  it('are looked at by a timer', async () => {
    const { state, read } = pausing(1);
    state.room = 1;
    await eventually(() => read()[0] === true);
  });
});
