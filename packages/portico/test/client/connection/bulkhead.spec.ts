import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Bulkhead, growingShare, type Leave, type Waiter } from '../../../src/client/connection/bulkhead.js';
import { type Party } from '../../../src/client/connection/fair-queue.js';

const never = new AbortController().signal;

interface Held {
  readonly party: string;
  readonly operation: string;
  readonly leave: Leave;
}

const waiter = (signal: AbortSignal, isOver = false): Waiter => ({
  signal,
  isOver,
  requireTime: () => undefined,
});

/** Enters, and notes in a list when it got its socket. */
function entering(bulkhead: Bulkhead, log: Held[] = []) {
  return (party: string | Party, operation = 'GET projects', signal = never): Promise<Held> => {
    const path = typeof party === 'string' ? [party] : party;
    return Promise.resolve(bulkhead.enter({ party: path, operation }, waiter(signal))).then((leave) => {
      const held = { party: path.join(' '), operation, leave };
      log.push(held);
      return held;
    });
  };
}

/** Lets what can go on do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe('a share that grows', () => {
  it.each([
    [0, 0, 4, 0, 12],
    [1, 0, 4, 0, 8],
    [2, 0, 4, 0, Infinity],
    [0, 1, 4, 3, 3],
    [0, 0, 4, 3, 12],
    [0, 1, 2, 5, 0],
    [0, 0, 0, 0, 0],
    [2, 1, 5, 5, 0],
  ])(
    'at level %d with %d in flight may have, of %d that are left and less %d that are kept, %d',
    (level, inFlight, left, kept, most) => {
      expect(growingShare({ level, inFlight }, left, kept)).toBe(most);
    },
  );
});

describe('a bulkhead', () => {
  it('counts the sockets of each session of a network by themselves', () => {
    const bulkhead = new Bulkhead(100, 2);
    const enter = (session: string, operation: string): Leave | Promise<Leave> =>
      bulkhead.enter({ party: ['n', 'a', session], operation }, waiter(never));
    const [first] = ['1', '2'].map((operation) => enter('s', operation));
    expect(enter('t', '1')).toBeTypeOf('function');
    expect(enter('s', '3')).toBeInstanceOf(Promise);

    (first as Leave)();

    // That socket went to the call that waited.
    expect(enter('s', '4')).toBeInstanceOf(Promise);
    expect(enter('t', '4')).toBeTypeOf('function');
  });

  it('gives back one socket of a session when one of its calls has ended', () => {
    const bulkhead = new Bulkhead(100, 2);
    const enter = (operation: string): Leave | Promise<Leave> =>
      bulkhead.enter({ party: ['n', 'a', 's'], operation }, waiter(never));
    const [first] = ['1', '2'].map(enter);
    (first as Leave)();

    expect(enter('3')).toBeTypeOf('function');
    expect(enter('4')).toBeInstanceOf(Promise);
  });

  it('refuses a call that would have to wait and has no time left', () => {
    const bulkhead = new Bulkhead(2, 1);
    const late: Waiter = {
      ...waiter(never),
      requireTime: () => {
        throw new Error('too late');
      },
    };
    expect(bulkhead.enter({ party: ['a'], operation: '1' }, late)).toBeTypeOf('function');

    expect(() => bulkhead.enter({ party: ['a'], operation: '1' }, late)).toThrow('too late');
  });

  it('keeps no listener on the signal of a call that waits no longer', async () => {
    const bulkhead = new Bulkhead(2, 1);
    const cancels = [new AbortController(), new AbortController()] as const;
    const first = bulkhead.enter({ party: ['a'], operation: '1' }, waiter(never));
    const waiting = cancels.map(({ signal }) =>
      Promise.resolve(bulkhead.enter({ party: ['a'], operation: '1' }, waiter(signal))),
    );
    expect(cancels.map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([1, 1]);

    (first as Leave)();
    await waiting[0];
    cancels[1].abort(new Error('gone'));
    await expect(waiting[1]).rejects.toThrow('gone');

    expect(cancels.map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  });

  it('gives one operation half of the sockets, a second a third, and leaves some for others', async () => {
    const bulkhead = new Bulkhead(12, 100);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);
    const held = (): Record<string, number> =>
      Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [name, log.filter(({ operation }) => operation === name).length]),
      );

    for (let nth = 0; nth < 20; nth += 1) void enter(`a${nth}`, 'a');
    await settle();
    expect(held()).toEqual({ a: 6, b: 0, c: 0 });
    for (let nth = 0; nth < 20; nth += 1) void enter(`b${nth}`, 'b');
    await settle();
    expect(held()).toEqual({ a: 6, b: 3, c: 0 });
    for (let nth = 0; nth < 20; nth += 1) void enter(`c${nth}`, 'c');
    await settle();

    expect(held()).toEqual({ a: 6, b: 3, c: 2 });
  });

  it('gives one session no more than its share, over all operations, and serves its calls in their order', async () => {
    const bulkhead = new Bulkhead(100, 2);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);

    for (const operation of ['1', '2', '3', '3']) void enter('hog', operation);
    void enter('other', '5');
    await settle();
    expect(log.map(({ operation }) => operation)).toEqual(['1', '2', '5']);
    log[1]?.leave();
    await settle();
    log[0]?.leave();
    await settle();

    expect(log.map(({ operation }) => operation)).toEqual(['1', '2', '5', '3', '3']);
  });

  it('lets a session wait for no more than one call of another', async () => {
    const bulkhead = new Bulkhead(4, 3);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);

    for (let nth = 0; nth < 100; nth += 1) void enter('hog');
    void enter('other');
    await settle();
    expect(log.map(({ party }) => party)).toEqual(['hog', 'hog']);
    log[0]?.leave();
    await settle();

    expect(log.map(({ party }) => party)).toEqual(['hog', 'hog', 'other']);
  });

  it('finds a socket for each of eight more networks, however many hold some already', async () => {
    const bulkhead = new Bulkhead(128, 8);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);
    for (let network = 0; network < 20; network += 1) {
      for (let nth = 0; nth < 60; nth += 1)
        void enter([`crowd ${network % 3}`, `user ${network} ${nth}`, `s ${network} ${nth}`]);
    }
    await settle();
    const before = log.length;
    for (let network = 0; network < 8; network += 1)
      void enter([`other ${network}`, 'user', `other ${network}`]);
    await settle();
    expect(log.length - before).toBe(8);
  });

  it('finds a socket for another network, and for a named account of the same one, beside a crowd of guests', async () => {
    const bulkhead = new Bulkhead(128, 8);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);

    for (let nth = 0; nth < 300; nth += 1) void enter(['crowd', 'guest', `s${nth}`]);
    await settle();
    const guests = log.length;
    void enter(['crowd', 'named', 'session']);
    void enter(['other', 'guest', 'session']);
    await settle();

    // Two thirds of the half that an operation may have, less the few that are kept.
    expect(guests).toBe(38);
    expect(log.slice(guests).map(({ party }) => party)).toEqual([
      'crowd named session',
      'other guest session',
    ]);
  });

  it('finds a socket for another network beside ten crowded ones', async () => {
    const bulkhead = new Bulkhead(128, 8);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);

    for (let nth = 0; nth < 600; nth += 1) void enter([`crowd ${nth % 10}`, 'guest', `s${nth}`]);
    await settle();
    const guests = log.length;
    void enter(['other', 'guest', 'session']);
    await settle();

    expect(guests).toBeGreaterThan(50);
    expect(log).toHaveLength(guests + 1);
  });

  it('passes over calls whose time is over while they wait: each ends itself, and none lets the next one fail', async () => {
    const bulkhead = new Bulkhead(2, 1);
    const first = await bulkhead.enter({ party: ['a'], operation: '1' }, waiter(never));
    const over = new AbortController();
    const late = [1, 2, 3].map(() =>
      bulkhead.enter({ party: ['a'], operation: '1' }, waiter(over.signal, true)),
    );
    const next = bulkhead.enter({ party: ['a'], operation: '1' }, waiter(never));
    first();
    (await next)();
    over.abort(new Error('too late'));
    for (const call of late) await expect(call).rejects.toThrow('too late');
    (await bulkhead.enter({ party: ['a'], operation: '1' }, waiter(never)))();
  });

  it('forgets a call that is canceled while it waits, for its session or its operation', async () => {
    const bulkhead = new Bulkhead(4, 3);
    const log: Held[] = [];
    const enter = entering(bulkhead, log);
    const cancels = Array.from({ length: 4 }, () => new AbortController());
    const reason = new Error('canceled');

    for (let nth = 0; nth < 2; nth += 1) void enter('a');
    await settle();
    const waiting = cancels.map(({ signal }) => enter('a', 'GET projects', signal));
    const last = enter('b');
    for (const cancel of cancels) cancel.abort(reason);
    for (const call of waiting) await expect(call).rejects.toBe(reason);
    log[0]?.leave();
    await last;

    // Nothing is left behind: all is as in a new one.
    log[1]?.leave();
    log[2]?.leave();
    for (let nth = 0; nth < 4; nth += 1) void enter('a', `other-${nth}`);
    await settle();
    expect(log).toHaveLength(6);
  });
});
