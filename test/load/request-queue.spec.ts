import { describe, expect, it } from 'vitest';
import { type Full, type Leave, type QueueOptions, RequestQueue } from '../../src/load/request-queue.js';

const NEVER = { gone: new AbortController().signal };
/** Far more than any test takes. */
const LONG = 60_000;
const party = (name: string): string[] => ['network', name, name];

function queueOf(most: number, given: Partial<QueueOptions> = {}): RequestQueue {
  const usual = { limits: { value: most, mostWaiting: 4 }, mostOf: () => 2, patience: LONG };
  return new RequestQueue({ ...usual, ...given });
}

async function entered(result: Promise<Leave | Full>): Promise<Leave> {
  const leave = await result;
  if (typeof leave === 'string') throw new Error(`refused: ${leave}`);
  return leave;
}

describe('a queue of requests', () => {
  it('admits as many as are allowed, and the next one when one leaves', async () => {
    const gate = queueOf(2);
    const first = await entered(gate.enter(party('a'), NEVER));
    await entered(gate.enter(party('b'), NEVER));
    let isIn = false;
    const third = gate.enter(party('c'), NEVER).then((place) => {
      isIn = true;
      return place;
    });
    await Promise.resolve();
    expect([isIn, gate.inFlight, gate.waiting]).toEqual([false, 2, 1]);
    first();
    await entered(third);
    expect([gate.inFlight, gate.waiting]).toEqual([2, 0]);
  });

  it('counts a place that is returned twice only once', async () => {
    const gate = queueOf(2);
    const leave = await entered(gate.enter(party('a'), NEVER));
    await entered(gate.enter(party('a'), NEVER));
    leave();
    leave();
    expect(gate.inFlight).toBe(1);
  });

  it('lets the parties take turns: a long line and many places of one do not delay another', async () => {
    const gate = queueOf(4, { mostOf: () => 10 });
    const places: Leave[] = [];
    for (let n = 0; n < 4; n += 1) places.push(await entered(gate.enter(party('hog'), NEVER)));
    const order: string[] = [];
    for (const name of ['hog', 'hog', 'a', 'b']) {
      void entered(gate.enter(party(name), NEVER)).then(() => order.push(name));
    }
    for (const leave of places) {
      leave();
      await new Promise(setImmediate);
    }
    expect(order).toEqual(['a', 'b', 'hog', 'hog']);
  });

  it('holds a party to its own limit, while others come in', async () => {
    const gate = queueOf(10);
    const leave = await entered(gate.enter(party('hog'), NEVER));
    await entered(gate.enter(party('hog'), NEVER));
    let isIn = false;
    void gate.enter(party('hog'), NEVER).then(() => (isIn = true));
    await entered(gate.enter(party('other'), NEVER));
    expect(isIn).toBe(false);
    leave();
    await new Promise(setImmediate);
    expect(isIn).toBe(true);
  });

  it('refuses at once when the line of the party, or of all, is full', async () => {
    const gate = queueOf(3);
    for (let n = 0; n < 2; n += 1) await entered(gate.enter(party('hog'), NEVER));
    void gate.enter(party('hog'), NEVER);
    void gate.enter(party('hog'), NEVER);
    expect(gate.full(party('hog'))).toBe('party');
    expect(await gate.enter(party('hog'), NEVER)).toBe('party');

    await entered(gate.enter(party('other'), NEVER));
    for (const name of ['third', 'fourth']) void gate.enter(party(name), NEVER);
    expect(gate.full(party('fifth'))).toBe('all');
    expect(await gate.enter(party('fifth'), NEVER)).toBe('all');
  });

  it('refuses a request after its patience, and one whose caller has left at once', async () => {
    const gate = queueOf(1, { patience: 20 });
    await entered(gate.enter(party('a'), NEVER));
    expect(await gate.enter(party('b'), NEVER)).toBe('all');
    const caller = new AbortController();
    const patient = queueOf(1);
    await entered(patient.enter(party('a'), NEVER));
    const waiting = patient.enter(party('b'), { gone: caller.signal });
    caller.abort();
    expect(await waiting).toBe('all');
    expect(await patient.enter(party('b'), { gone: caller.signal })).toBe('all');
    expect(patient.waiting).toBe(0);
  });

  it('admits waiting requests when the limit is raised', async () => {
    const limits = { value: 1, mostWaiting: 4 };
    const gate = queueOf(0, { limits });
    await entered(gate.enter(party('a'), NEVER));
    const waiting = gate.enter(party('b'), NEVER);
    limits.value = 2;
    gate.admitWaiting();
    await entered(waiting);
  });

  it('keeps a part of its line for others, so that one party does not fill it', async () => {
    const gate = queueOf(0, { limits: { value: 1, mostWaiting: 9 }, mostOf: () => 100 });
    await entered(gate.enter(party('hog'), NEVER));
    for (let n = 0; n < 6; n += 1) void gate.enter(party('hog'), NEVER);
    expect(await gate.enter(party('hog'), NEVER)).toBe('all');
    for (const name of ['a', 'b']) void gate.enter(party(name), NEVER);
    expect(gate.waiting).toBe(8);
  });

  it('asks whether a caller has left only if it has to wait', async () => {
    const gate = queueOf(0, { limits: { value: 1, mostWaiting: 0 } });
    const caller = {
      get gone(): AbortSignal {
        throw new Error('asked');
      },
    };
    await entered(gate.enter(party('a'), caller));
    expect(await gate.enter(party('b'), caller)).toBe('all');
  });

  it('counts, from one sample to the next, how many left and how many were in flight at most', async () => {
    const gate = queueOf(4);
    const leave = await entered(gate.enter(party('a'), NEVER));
    await entered(gate.enter(party('a'), NEVER));
    leave();
    expect(gate.takeCounts()).toEqual({ inFlight: 2, left: 1 });
    expect(gate.takeCounts()).toEqual({ inFlight: 1, left: 0 });
  });

  it('has places and a line for other networks and accounts while one takes all', async () => {
    const gate = queueOf(8, { mostOf: () => 100 });
    const guest = (n: number): string[] => ['office', 'guest', `session ${n}`];
    for (let n = 0; n < 8; n += 1) await entered(gate.enter(guest(n), NEVER));
    for (let n = 8; n < 12; n += 1) void gate.enter(guest(n), NEVER);
    expect(await gate.enter(guest(12), NEVER)).toBe('all');
    expect(gate.isFull).toBe(true);

    await entered(gate.enter(['office', 'named', 'session'], NEVER));
    await entered(gate.enter(['other', 'guest', 'session'], NEVER));

    expect(gate.inFlight).toBe(10);
  });
});
