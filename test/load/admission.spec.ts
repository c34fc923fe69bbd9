import { EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../../src/load/admission.js';
import { RequestSlot } from '../../src/load/request-slot.js';
import { KnownSessions } from '../../src/session/handle.js';
import { type Caller } from '../../src/http/caller.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';

let isStopping = false;
const options = {
  inFlight: 4096,
  perSession: 128,
  isStopping: () => isStopping,
  logoutHashes: [],
  sessions: new KnownSessions(),
};
beforeEach(() => {
  isStopping = false;
});

/** A process without time that completes 250 requests in a quarter of a second. */
const BUSY = { delay: 0, utilization: 1, heap: 0.1, milliseconds: 100, inFlight: 1000, left: 100 };

describe('a process that has no time left', () => {
  let admission: Admission;
  beforeEach(() => {
    admission = new Admission(options);
    for (let n = 0; n < 2; n += 1) admission.limit.observe(BUSY);
  });

  /** Requests that come in one iteration of the event loop: all of them wait for their turn. */
  function ask(count: number, networkOf = (n: number) => `192.0.2.${n}`): RequestSlot[] {
    return Array.from({ length: count }, (_, n) => {
      const slot = new RequestSlot(new EventEmitter() as ServerResponse);
      void admission.enter({ network: networkOf(n) } as Caller, slot);
      return slot;
    });
  }

  function answer(): { isRead: boolean } {
    const connection = {
      isRead: true,
      destroyed: false,
      pause: () => (connection.isRead = false),
      resume: () => (connection.isRead = true),
    };
    admission.answered(connection as never, '192.0.2.1');
    return connection;
  }

  it('reads on at once from a caller that it has answered, while few requests wait', () => {
    ask(64);
    expect(answer().isRead).toBe(true);
    expect(admission.paused).toBe(0);
  });

  it('reads no more from a caller that it has answered while many requests wait, until those have begun', async () => {
    ask(65);
    const connection = answer();
    expect(connection.isRead).toBe(false);
    expect(admission.paused).toBe(1);
    await eventually(() => connection.isRead);
    expect(admission.paused).toBe(0);
  });

  it('reads from a paused caller with the next answer for which there is room, before any timer', () => {
    ask(65);
    const connection = answer();
    expect(connection.isRead).toBe(false);
    answer();
    expect(connection.isRead).toBe(false);
    while (admission.limit.isShedding) admission.limit.observe({ ...BUSY, utilization: 0.1 });
    answer();
    expect(connection.isRead).toBe(true);
  });

  it('prefers nobody to those whom it has paused, however little their network has in flight', async () => {
    const slots = ask(70, () => '192.0.2.1');
    for (let n = 0; n < 10; n += 1) answer();
    await nextIteration();
    for (const slot of slots.slice(0, 10)) {
      slot.answered();
      slot.response.emit('close');
    }
    expect(answer().isRead).toBe(false);
    expect(admission.paused).toBe(11);
  });

  it('lets no other request wait while a caller is paused', () => {
    ask(65);
    expect(admission.isFull('192.0.2.1')).toBe(false);
    answer();
    expect(admission.isFull('192.0.2.1')).toBe(true);
  });

  it('keeps no more for a network that is alone than may wait in all', () => {
    ask(65, () => '192.0.2.1');
    const connection = answer();
    expect(connection.isRead).toBe(false);
    expect(admission.isFull('192.0.2.1')).toBe(true);
    expect(admission.isFull('192.0.2.2')).toBe(false);
  });

  it('lets as many requests wait as ever while no caller is paused', () => {
    ask(200);
    expect(admission.isFull('192.0.2.1')).toBe(false);
  });

  it('reads from every caller once the service stops, so that no request is lost', async () => {
    ask(200);
    const connection = answer();
    expect(connection.isRead).toBe(false);
    isStopping = true;
    await eventually(() => connection.isRead);
    expect(answer().isRead).toBe(true);
  });
});

describe('a request that has waited for its turn for more than half a second', () => {
  const LOGOUT = Buffer.from('{"query":"mutation { logout { loggedOut } }"}');
  let admission: Admission;
  let now: number;
  beforeEach(() => {
    now = 0;
    admission = new Admission({ ...options, now: () => now });
    for (let n = 0; n < 2; n += 1) admission.limit.observe(BUSY);
  });

  function enter(body?: Buffer): Promise<void> {
    const caller = { network: '192.0.2.1' } as Caller;
    return admission.enter(caller, new RequestSlot(new EventEmitter() as ServerResponse), body);
  }

  it('begins all the same if it came with a burst', async () => {
    const entered = enter();
    now = 600;
    await expect(entered).resolves.toBeUndefined();
  });

  it('is refused while others are refused, unless it is a logout', async () => {
    const entered = enter();
    const logout = enter(LOGOUT);
    now = 600;
    admission.refuseUnread();
    await expect(entered).rejects.toMatchObject({ reason: 'SERVICE_BUSY' });
    await expect(logout).resolves.toBeUndefined();
    const next = enter();
    now = 1100;
    await expect(next).resolves.toBeUndefined();
  });
});

describe('a process that has time', () => {
  it('reads on at once from a caller that it has answered, however many wait for the platform', () => {
    const admission = new Admission(options);
    admission.answered({ destroyed: false } as never, '192.0.2.1');
    expect(admission.paused).toBe(0);
  });
});
