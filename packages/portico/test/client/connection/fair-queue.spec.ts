import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type End, FairQueue, type Party, partOf } from '../../../src/client/connection/fair-queue.js';
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

  it('serves those who have cost and hold the same in turn, also when none of their work has begun', () => {
    const queue = new FairQueue<string>();
    for (const name of ['a', 'a', 'b', 'b']) queue.add([name], name);

    expect(Array.from({ length: 5 }, () => queue.next())).toEqual(['a', 'b', 'a', 'b', undefined]);
  });

  it('serves who has less in flight first, whoever came first', () => {
    const queue = new FairQueue<string>();
    queue.begin(['busy']);
    queue.add(['idle'], 'idle');
    queue.add(['busy'], 'busy');

    expect([queue.next(), queue.next()]).toEqual(['idle', 'busy']);
  });

  it('serves who cost less first, by its own clock as well', () => {
    const queue = new FairQueue<string>();
    queue.charge(['costly'], 100);
    queue.charge(['cheap'], 10);
    queue.add(['costly'], 'costly');
    queue.add(['cheap'], 'cheap');

    expect(queue.next()).toBe('cheap');
  });

  it.each([
    [2000, 10, 6, 'first'],
    [2000, 10, 4, 'second'],
    [20_000, 1024, 0.5, 'second'],
    [20_001, 1024, 0.5, 'first'],
  ])(
    'halves a cost every two seconds, and forgets it after twenty: after %d ms, %d is compared to %d',
    (ms, cost, other, next) => {
      const clock = manualClock();
      const queue = new FairQueue<string>({ now: clock.now });
      const ends = ['first', 'second'].map((name) => queue.begin([name]));
      queue.charge(['first'], cost);
      clock.advance(ms);
      queue.charge(['second'], other);
      for (const end of ends) end();
      for (const name of next === 'first' ? ['second', 'first'] : ['first', 'second'])
        queue.add([name], name);

      expect(queue.next()).toBe(next);
    },
  );

  it('passes a whole network where none of its accounts may begin, and serves the next one', () => {
    const queue = new FairQueue<string>({ most: ({ level }) => (level === 1 ? 1 : Infinity) });
    queue.begin(['full', 'a', 's']);
    for (const account of ['b', 'c']) queue.begin(['other', account, 's']);
    queue.add(['full', 'a', 't'], 'full');
    queue.add(['other', 'd', 's'], 'other');

    expect([queue.next(), queue.next()]).toEqual(['other', undefined]);
  });

  it('serves below a party that also had work of its own', () => {
    const queue = new FairQueue<string>();
    queue.begin(['n']);
    queue.add(['n'], 'own');
    queue.add(['n', 'a'], 'below');

    expect([queue.next(), queue.next()]).toEqual(['own', 'below']);
  });

  it('ends work once, however often it is told', () => {
    const queue = new FairQueue<string>();
    const end = queue.begin(['n']);
    queue.begin(['n']);
    end(5);
    end(5);

    expect([queue.inFlight, queue.shares(['n'])[0]?.inFlight]).toEqual([1, 1]);
  });

  it('begins work only where all levels may have more, without a limit always', () => {
    const limited = new FairQueue<string>({ most: ({ level }) => (level === 0 ? 1 : 5) });

    expect(limited.tryBegin(['n', 'a'])).toBeTypeOf('function');
    expect(limited.tryBegin(['n', 'b'])).toBeUndefined();
    const open = new FairQueue<string>();
    expect(open.mayBegin(['n'])).toBe(true);
    expect(open.tryBegin(['n'])).toBeTypeOf('function');
    expect(open.inFlight).toBe(1);
  });

  it('says what each level of a party has, also of one that it does not know', () => {
    const queue = new FairQueue<string>();
    queue.begin(['n', 'a']);
    queue.add(['n', 'a', 's'], 'work');
    const [network, account, session] = queue.shares(['n', 'a', 's']);
    const [known, unknown, below] = queue.shares(['n', 'b', 't']);

    expect(network).toMatchObject({ name: 'n', level: 0, inFlight: 1, waiting: 1, isFinest: false });
    expect(account).toMatchObject({ name: 'a', level: 1, inFlight: 1, waiting: 1, isFinest: false });
    expect(session).toMatchObject({ name: 's', level: 2, inFlight: 0, waiting: 1, isFinest: true });
    expect(known).toBe(network);
    const none = { inFlight: 0, waiting: 0, children: undefined };
    expect(unknown).toStrictEqual({ ...none, name: 'b', level: 1, isFinest: false, parent: network });
    expect(below).toStrictEqual({ ...none, name: 't', level: 2, isFinest: true, parent: unknown });
  });

  it('divides equally among those that are there and the one that asks', () => {
    const queue = new FairQueue<string>();
    const partsOf = (party: Party): number[] => queue.shares(party).map(partOf);
    expect(partsOf(['n', 'a', 's'])).toEqual([1, 1, 1]);
    queue.begin(['n', 'a']);
    queue.begin(['n', 'b']);
    queue.begin(['m', 'a']);

    expect(partsOf(['n', 'a'])).toEqual([1 / 2, 1 / 4]);
    expect(partsOf(['n', 'c'])).toEqual([1 / 2, 1 / 6]);
    expect(partsOf(['o', 'a', 's'])).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });

  it('keeps a party in its place while any of its work waits', () => {
    const queue = new FairQueue<string>();
    const leave = queue.add(['n', 'a'], 'work');
    queue.begin(['n', 'a'])();

    expect(queue.shares(['n', 'a']).map(({ waiting }) => waiting)).toEqual([1, 1]);
    leave();
    expect(queue.shares(['n', 'a']).map(({ waiting }) => waiting)).toEqual([0, 0]);
  });

  it('keeps nothing of parties that neither wait nor cost anything', () => {
    const queue = new FairQueue<string>({ most: ({ name }) => (name === 'refused' ? 0 : 5) });
    queue.tryBegin(['n', 'refused']);
    queue.charge(['free', 'a'], 0);
    queue.begin(['short', 'a'])(0);
    queue.add(['gone', 'a'], 'work')();

    expect(queue.shares(['any'])[0]?.parent?.children?.size).toBe(0);
    expect(queue.remembered).toBe(0);
  });

  it('keeps the coarser levels of a party while its cost is remembered', () => {
    const queue = new FairQueue<string>({ now: () => 0 });
    queue.begin(['costly', 'a'])(5);
    queue.begin(['costly'])();
    queue.add(['costly', 'b'], 'costly');
    queue.add(['new', 'a'], 'new');

    expect(queue.next()).toBe('new');
  });

  it('forgets a cost twenty seconds after it was charged last, whichever way that is noticed', () => {
    const notice: ((queue: FairQueue<string>) => void)[] = [
      (queue) => {
        queue.begin(['x'])();
      },
      (queue) => {
        queue.charge(['x'], 0);
      },
    ];
    for (const each of notice) {
      const clock = manualClock();
      const queue = new FairQueue<string>({ now: clock.now });
      const remembered = (ms: number): number => {
        clock.advance(ms);
        each(queue);
        return queue.remembered;
      };
      queue.charge(['a', 'b'], 5);
      clock.advance(1000);
      queue.charge(['c', 'd'], 5);
      clock.advance(14_000);
      queue.charge(['a', 'b'], 5);

      expect([remembered(6000), remembered(1), remembered(13_999), remembered(1)]).toEqual([2, 1, 1, 0]);
      expect(queue.shares(['any'])[0]?.parent?.children?.size).toBe(0);
    }
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
