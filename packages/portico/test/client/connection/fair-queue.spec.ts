import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type End, FairQueue, type Party } from '../../../src/client/connection/fair-queue.js';
import { manualClock } from '../../support/manual-clock.js';

/** Adds work that names its party, and serves all of it in the order of the queue, one at a time. */
function servedInOrder(queue: FairQueue<Party>, parties: readonly Party[], cost = 1): string[] {
  for (const party of parties) queue.add(party, party);
  const served: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) {
    queue.begin(next)(cost);
    served.push(next.join(' '));
  }
  return served;
}

const repeated = (party: Party, times: number): Party[] => Array.from({ length: times }, () => party);

const anyParty = fc.tuple(
  fc.constantFrom('n1', 'n2', 'n3'),
  fc.constantFrom('a1', 'a2'),
  fc.constantFrom('s1', 's2', 's3'),
);

describe('a fair queue', () => {
  it('serves one of each network before the second of a network with many accounts and sessions', () => {
    const queue = new FairQueue<Party>();
    const crowd = Array.from({ length: 5 }, (_, n): Party => ['crowd', `account ${n}`, `session ${n}`]);

    const served = servedInOrder(queue, [...crowd, ['other', 'guest', 'one']]);

    expect(served.indexOf('other guest one')).toBe(1);
    expect(served).toHaveLength(6);
  });

  it('serves a named account of a network as often as all of its guests together', () => {
    const queue = new FairQueue<Party>();
    const guests = Array.from({ length: 50 }, (_, n): Party => ['office', 'guest', `session ${n}`]);

    const served = servedInOrder(queue, [...guests, ...repeated(['office', 'named', 'x'], 3)]);

    expect(served.slice(0, 6).filter((party) => party.includes('named'))).toHaveLength(3);
  });

  it('prefers who has less in flight, then who cost less lately, and forgets costs within seconds', () => {
    const clock = manualClock();
    const queue = new FairQueue<Party>({ now: clock.now });
    queue.charge(['costly'], 100);
    queue.charge(['cheap'], 10);
    const end = queue.begin(['cheap']);
    queue.add(['cheap'], ['cheap']);
    queue.add(['costly'], ['costly']);

    expect(queue.next()).toEqual(['costly']);
    end();
    queue.add(['costly'], ['costly']);
    expect(queue.next()).toEqual(['cheap']);
    expect(queue.next()).toEqual(['costly']);

    clock.advance(60_000);
    queue.add(['costly'], ['costly']);
    queue.add(['cheap'], ['cheap']);
    expect(queue.next()).toEqual(['costly']);
  });

  it('keeps the order of the work of one party, and of none of it that was taken out', () => {
    const queue = new FairQueue<number>();
    const leave = [1, 2, 3].map((work) => queue.add(['n', 'a', 's'], work));

    expect(leave[1]?.()).toBe(true);
    expect(leave[1]?.()).toBe(false);
    expect([queue.next(), queue.next(), queue.next()]).toEqual([1, 3, undefined]);
    expect(leave[0]?.()).toBe(false);
  });

  it('passes a party at its limit, at any level, and serves it when that is over', () => {
    const queue = new FairQueue<Party>({ most: ({ level }) => (level === 1 ? 1 : 2) });
    const end = queue.begin(['n', 'a', 's1']);
    queue.add(['n', 'a', 's2'], ['n', 'a', 's2']);
    queue.add(['n', 'b', 's3'], ['n', 'b', 's3']);

    expect(queue.mayBegin(['n', 'a', 's2'])).toBe(false);
    expect(queue.mayBegin(['n', 'b', 's3'])).toBe(true);
    expect(queue.next()).toEqual(['n', 'b', 's3']);
    expect(queue.next()).toBeUndefined();
    end();
    expect(queue.next()).toEqual(['n', 'a', 's2']);
  });

  it('serves all work, starves no one, and holds the limit of each level, whatever comes and ends', () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), party: anyParty }),
      fc.record({ kind: fc.constant('begin' as const) }),
      fc.record({ kind: fc.constant('end' as const), cost: fc.nat(50) }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const limits = [4, 3, 2];
        const queue = new FairQueue<Party>({ most: ({ level }) => limits[level] ?? 0, now: () => 0 });
        const running: End[] = [];
        let added = 0;
        let served = 0;
        const begin = (): boolean => {
          const next = queue.next();
          if (next === undefined) return false;
          served += 1;
          running.push(queue.begin(next));
          for (const share of queue.shares(next))
            expect(share.inFlight).toBeLessThanOrEqual(limits[share.level] ?? 0);
          return true;
        };
        for (const each of actions) {
          if (each.kind === 'add') {
            queue.add(each.party, each.party);
            added += 1;
          } else if (each.kind === 'begin') begin();
          else running.shift()?.(each.cost);
        }
        while (queue.waiting > 0) if (!begin()) running.shift()?.(1);
        for (const end of running) end();

        expect(served).toBe(added);
        expect(queue.inFlight).toBe(0);
      }),
    );
  });

  it('lets no network wait for more than one turn of each other network', () => {
    fc.assert(
      fc.property(fc.array(anyParty, { maxLength: 100 }), (parties) => {
        const queue = new FairQueue<Party>({ now: () => 0 });

        const served = servedInOrder(queue, [...parties, ['late', 'guest', 'one']]);

        const networks = new Set(parties.map(([network]) => network)).size;
        expect(served.indexOf('late guest one')).toBeLessThanOrEqual(networks);
      }),
    );
  });

  it('takes nothing from a party when no other waits', () => {
    fc.assert(
      fc.property(anyParty, fc.integer({ min: 1, max: 50 }), (party, count) => {
        const queue = new FairQueue<Party>();
        queue.charge(party, 1_000_000);
        for (let n = 0; n < count; n += 1) queue.add(party, party);

        for (let n = 0; n < count; n += 1) queue.begin(queue.next() ?? []);

        expect(queue.inFlight).toBe(count);
      }),
    );
  });

  it('holds nothing for parties whose work has ended and whose cost is forgotten', () => {
    const clock = manualClock();
    const queue = new FairQueue<Party>({ now: clock.now });
    for (let n = 0; n < 11_000; n += 1) queue.begin([`network ${n}`, 'guest', `${n}`])(5);

    expect(queue.remembered).toBe(10_000);
    clock.advance(60_000);
    queue.begin(['next', 'guest', 'x'])();

    expect(queue.remembered).toBe(0);
  });
});
