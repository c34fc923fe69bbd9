import { describe, expect, it } from '@jest/globals';
import { Bulkhead, type SlotUser } from '../../../src/client/connection/bulkhead.js';

const never = new AbortController().signal;

/** Enters, and notes in a list when it got its socket. */
function entering(bulkhead: Bulkhead, log: SlotUser[] = []) {
  return (party: string, operation = 'GET projects', signal = never): Promise<SlotUser> => {
    const user = { party, operation };
    return Promise.resolve(bulkhead.enter(user, signal)).then(() => {
      log.push(user);
      return user;
    });
  };
}

/** Lets whatever can go on do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

describe('a bulkhead', () => {
  it('gives one operation half of the sockets, a second a third, and leaves some for others', async () => {
    const bulkhead = new Bulkhead(12, 100);
    const log: SlotUser[] = [];
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

  it('gives one party no more than its share, and serves its calls in their order', async () => {
    const bulkhead = new Bulkhead(100, 2);
    const log: SlotUser[] = [];
    const enter = entering(bulkhead, log);

    for (const operation of ['1', '2', '3', '4']) void enter('hog', operation);
    void enter('other', '5');
    await settle();
    expect(log.map(({ operation }) => operation)).toEqual(['1', '2', '5']);
    bulkhead.leave({ party: 'hog', operation: '2' });
    await settle();
    bulkhead.leave({ party: 'hog', operation: '1' });
    await settle();

    expect(log.map(({ operation }) => operation)).toEqual(['1', '2', '5', '3', '4']);
  });

  it('lets a party wait behind at most its share of the calls of another', async () => {
    const bulkhead = new Bulkhead(4, 3);
    const log: SlotUser[] = [];
    const enter = entering(bulkhead, log);

    for (let nth = 0; nth < 100; nth += 1) void enter('hog');
    void enter('other');
    await settle();
    expect(log.map(({ party }) => party)).toEqual(['hog', 'hog']);
    for (let nth = 0; nth < 2; nth += 1) {
      bulkhead.leave({ party: 'hog', operation: 'GET projects' });
      await settle();
    }

    expect(log.map(({ party }) => party)).toEqual(['hog', 'hog', 'hog', 'other']);
  });

  it('forgets a call that is cancelled while it waits, for its party or its operation', async () => {
    const bulkhead = new Bulkhead(4, 3);
    const log: SlotUser[] = [];
    const enter = entering(bulkhead, log);
    const cancels = Array.from({ length: 4 }, () => new AbortController());
    const reason = new Error('cancelled');

    for (let nth = 0; nth < 2; nth += 1) void enter('a');
    const waiting = cancels.map(({ signal }) => enter('a', 'GET projects', signal));
    const last = enter('b');
    for (const cancel of cancels) cancel.abort(reason);
    for (const call of waiting) await expect(call).rejects.toBe(reason);
    bulkhead.leave({ party: 'a', operation: 'GET projects' });
    await last;

    // Nothing is left behind: all is as in a new one.
    bulkhead.leave({ party: 'a', operation: 'GET projects' });
    bulkhead.leave({ party: 'b', operation: 'GET projects' });
    for (let nth = 0; nth < 3; nth += 1) void enter('a', `other-${nth}`);
    await settle();
    expect(log).toHaveLength(6);
  });
});
