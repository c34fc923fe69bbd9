/** For applications that bring a session store of their own: what every store does, as cases for any test runner. */
import assert from 'node:assert/strict';
import { type SessionLife, type SessionStore } from './session/store/session-store.js';

export type * from './session/store/session-store.js';

/** A store under test, with a clock that the test moves. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Moves the store's clock. */
  readonly advance: (milliseconds: number) => Promise<void> | void;
  readonly close: () => Promise<void>;
}

/** One thing that every session store does. */
export interface ConformanceCase {
  /** A sentence without its subject, which is the store. */
  readonly title: string;
  /** Rejects with an AssertionError if the store does something else. */
  readonly run: () => Promise<void>;
}

/**
 * What every session store does, whichever it is.
 *
 * @param open opens an empty store whose sessions have the given life; each case opens and closes one.
 *
 * @example
 * ```ts
 * for (const { title, run } of sessionStoreConformance(openMyStore)) it(title, run);
 * ```
 */
export function sessionStoreConformance(
  open: (life: SessionLife) => Promise<StoreUnderTest>,
): ConformanceCase[] {
  return Object.entries(CASES).map(([title, check]) => ({
    title,
    run: async () => {
      const under = await open(LIFE);
      try {
        await check({ store: under.store, advance: (milliseconds) => under.advance(milliseconds) });
      } finally {
        await under.close();
      }
    },
  }));
}

const LIFE: SessionLife = { idleSeconds: 60, maxSeconds: 600 };
const SECOND = 1000;
const HOUR = 3_600_000;

const CASES: Readonly<Record<string, (under: Pick<StoreUnderTest, 'store' | 'advance'>) => Promise<void>>> = {
  'returns what was created, as version 1, with its absolute end': async ({ store }) => {
    const expiresAt = await store.create('key', 'sealed');
    assert.deepEqual(await store.read('key'), { sealed: 'sealed', version: 1, expiresAt });
  },

  'knows nothing of other keys': async ({ store }) => {
    await store.create('key', 'sealed');
    assert.equal(await store.read('other'), undefined);
  },

  'never creates a key twice': async ({ store }) => {
    await store.create('key', 'first');
    await assert.rejects(store.create('key', 'second'));
    assert.partialDeepStrictEqual(await store.read('key'), { sealed: 'first' });
  },

  'replaces the version that was read, and counts it': async ({ store }) => {
    await store.create('key', 'first');
    assert.equal(await store.replace('key', 1, 'second'), true);
    assert.partialDeepStrictEqual(await store.read('key'), { sealed: 'second', version: 2 });
  },

  'does not replace a version that is no longer current': async ({ store }) => {
    await store.create('key', 'first');
    await store.replace('key', 1, 'second');
    assert.equal(await store.replace('key', 1, 'late'), false);
    assert.partialDeepStrictEqual(await store.read('key'), { sealed: 'second', version: 2 });
  },

  'lets exactly one of many writers of one version through': async ({ store }) => {
    await store.create('key', 'first');
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.replace('key', 1, `writer ${n}`)),
    );
    assert.equal(outcomes.filter(Boolean).length, 1);
  },

  'does not bring back what was removed': async ({ store }) => {
    await store.create('key', 'first');
    assert.equal(await store.remove('key'), true);
    assert.equal(await store.replace('key', 1, 'late'), false);
    assert.equal(await store.read('key'), undefined);
    assert.equal(await store.remove('key'), false);
  },

  'removes a given version only while it is current': async ({ store }) => {
    await store.create('key', 'first');
    await store.replace('key', 1, 'second');
    assert.equal(await store.remove('key', 1), false);
    assert.partialDeepStrictEqual(await store.read('key'), { version: 2 });
    assert.equal(await store.remove('key', 2), true);
  },

  'ends a session that nobody uses': async ({ store, advance }) => {
    await store.create('key', 'sealed');
    await advance(59 * SECOND);
    assert.notEqual(await store.read('key'), undefined);
    await advance(61 * SECOND);
    assert.equal(await store.read('key'), undefined);
    assert.equal(await store.replace('key', 1, 'late'), false);
  },

  'ends a session at its absolute end however much it is used': async ({ store, advance }) => {
    await store.create('key', 'sealed');
    for (let used = 50; used < 600; used += 50) {
      await advance(50 * SECOND);
      assert.notEqual(await store.read('key'), undefined);
    }
    await advance(50 * SECOND);
    assert.equal(await store.read('key'), undefined);
  },

  'ends a session that nobody uses although its clock was set back': async ({ store, advance }) => {
    await store.create('key', 'sealed');
    await advance(-HOUR);
    assert.partialDeepStrictEqual(await store.read('key'), { sealed: 'sealed', version: 1 });
    await advance(61 * SECOND);
    assert.equal(await store.read('key'), undefined);
  },

  'ends a session within one absolute life after its clock was set back, however much it is used': async ({
    store,
    advance,
  }) => {
    const createdUntil = await store.create('key', 'sealed');
    await advance(-HOUR);
    const expiresAt = (await store.read('key'))?.expiresAt ?? Infinity;
    assert.ok(expiresAt <= createdUntil + 60 * SECOND);
    assert.equal(await store.replace('key', 1, 'second'), true);
    for (let used = 50; used < 600; used += 50) {
      await advance(50 * SECOND);
      assert.partialDeepStrictEqual(await store.read('key'), { sealed: 'second', version: 2 });
    }
    await advance(50 * SECOND);
    assert.equal(await store.read('key'), undefined);
  },

  'grants a lease again, held or settled, that was taken before its clock was set back': async ({
    store,
    advance,
  }) => {
    await store.lease('held', 'first', 3 * SECOND);
    await store.lease('settled', 'first', 3 * SECOND);
    await store.settle('settled', 'first', SECOND);
    await advance(-HOUR);
    assert.equal(await store.lease('held', 'second', 3 * SECOND), 'taken');
    assert.equal(await store.lease('settled', 'second', 3 * SECOND), 'taken');
  },

  'grants the lease of a session to one holder at a time': async ({ store }) => {
    const states = await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.lease('key', `holder ${n}`, 3 * SECOND)),
    );
    assert.equal(states.filter((state) => state === 'taken').length, 1);
    assert.equal(states.filter((state) => state === 'held').length, 19);
    assert.equal(await store.lease('other', 'holder', 3 * SECOND), 'taken');
  },

  'grants the lease to the next holder when it was returned without the work done': async ({ store }) => {
    await store.lease('key', 'first', 3 * SECOND);
    assert.equal(await store.settle('key', 'first', 0), true);
    assert.equal(await store.lease('key', 'second', 3 * SECOND), 'taken');
  },

  'tells callers that the work has just been done, for as long as the holder asked': async ({
    store,
    advance,
  }) => {
    await store.lease('key', 'first', 3 * SECOND);
    assert.equal(await store.settle('key', 'first', 2 * SECOND), true);
    assert.equal(await store.lease('key', 'second', 3 * SECOND), 'settled');
    await advance(2.1 * SECOND);
    assert.equal(await store.lease('key', 'second', 3 * SECOND), 'taken');
  },

  'keeps a lease while its holder extends it in time, and grants it to others after that': async ({
    store,
    advance,
  }) => {
    await store.lease('key', 'first', 3 * SECOND);
    await advance(2 * SECOND);
    assert.equal(await store.lease('key', 'first', 3 * SECOND), 'taken');
    await advance(2 * SECOND);
    assert.equal(await store.lease('key', 'second', 3 * SECOND), 'held');
    await advance(1.1 * SECOND);
    assert.equal(await store.lease('key', 'second', 3 * SECOND), 'taken');
  },

  'ignores a former holder whose lease now belongs to another': async ({ store, advance }) => {
    await store.lease('key', 'late', 3 * SECOND);
    await advance(3.1 * SECOND);
    await store.lease('key', 'second', 3 * SECOND);
    assert.equal(await store.settle('key', 'late', 2 * SECOND), false);
    assert.equal(await store.settle('key', 'late', 0), false);
    assert.equal(await store.lease('key', 'third', 3 * SECOND), 'held');
    assert.equal(await store.settle('key', 'second', 0), true);
    assert.equal(await store.settle('key', 'second', 0), false);
  },

  'shows a session as it is, and prolongs nothing by that': async ({ store, advance }) => {
    const expiresAt = await store.create('key', 'sealed');
    const peek = await store.peek('key');
    assert.partialDeepStrictEqual(peek, { sealed: 'sealed', version: 1, expiresAt, platformUse: undefined });
    const left = (peek?.idleExpiresAt ?? 0) - (expiresAt - 600 * SECOND);
    assert.ok(left > 55 * SECOND);
    assert.ok(left <= 60 * SECOND + 5);
    // Ten seconds short of the end: the clock of a real store goes on while this asks.
    for (let asked = 0; asked < 50; asked += 1) {
      await advance(SECOND);
      assert.notEqual(await store.peek('key'), undefined);
    }
    await advance(10 * SECOND + 5);
    assert.equal(await store.peek('key'), undefined);
    assert.equal(await store.read('key'), undefined);
  },

  'shows the idle end that the last read has moved': async ({ store, advance }) => {
    await store.create('key', 'sealed');
    const { idleExpiresAt: first } = (await store.peek('key')) ?? { idleExpiresAt: Infinity };
    await advance(30 * SECOND);
    await store.read('key');
    const { idleExpiresAt: second } = (await store.peek('key')) ?? { idleExpiresAt: 0 };
    // The clock of Redis stands where it was, but for a few milliseconds: what ages there is the session.
    assert.ok(second > first - SECOND);
    await advance(59 * SECOND);
    assert.notEqual(await store.peek('key'), undefined);
  },

  'shows no idle end that is later than the absolute one': async ({ store, advance }) => {
    const expiresAt = await store.create('key', 'sealed');
    for (let used = 0; used < 580; used += 20) {
      await advance(20 * SECOND);
      await store.read('key');
    }
    const peek = await store.peek('key');
    assert.ok(Number(peek?.idleExpiresAt) <= Number(peek?.expiresAt));
    assert.ok(Number(peek?.expiresAt) <= expiresAt);
  },

  'shows no later end after its clock was set back than a new session has': async ({ store, advance }) => {
    const createdUntil = await store.create('key', 'sealed');
    await advance(-HOUR);
    const peek = await store.peek('key');
    assert.ok(Number(peek?.expiresAt) <= createdUntil + 60 * SECOND);
    assert.ok(Number(peek?.idleExpiresAt) <= Number(peek?.expiresAt));
  },

  'notes the last use of the platform once its time-out is known': async ({ store }) => {
    await store.create('key', 'sealed');
    const use = async (): Promise<unknown> => (await store.peek('key'))?.platformUse;
    store.noteUse('key', 1000);
    assert.equal(await use(), undefined);
    store.noteUse('key', 2000, 1_800_000);
    assert.deepEqual(await use(), { at: 2000, timeoutMs: 1_800_000 });
    store.noteUse('key', 3000);
    assert.deepEqual(await use(), { at: 3000, timeoutMs: 1_800_000 });
    store.noteUse('key', 2500, 900_000);
    assert.deepEqual(await use(), { at: 3000, timeoutMs: 900_000 });
    await store.create('other', 'sealed');
    assert.equal((await store.peek('other'))?.platformUse, undefined);
  },

  'finds the sessions of an account, and tells which were ended': async ({ store }) => {
    for (const key of ['one', 'two']) await store.create(key, 'sealed', 'alice');
    await store.create('other', 'sealed');
    assert.deepEqual([...(await store.ofAccount('alice'))].sort(), ['one', 'two']);
    const since = store.now() - 1;
    assert.equal(await store.end('two', 'everywhere'), true);
    assert.equal(await store.end('two', 'everywhere'), false);
    store.leaveAccount('alice', 'two');
    assert.deepEqual([...(await store.ofAccount('alice'))], ['one']);
    assert.partialDeepStrictEqual(await store.endings(since), [{ key: 'two', cause: 'everywhere' }]);
  },

  'lists the live sessions, each once': async ({ store }) => {
    const expiresAt = await store.create('one', 'sealed');
    await store.create('two', 'sealed');
    await store.remove('two');
    const [one, ...others] = (await Array.fromAsync(store.list())).flat();
    assert.partialDeepStrictEqual([one, others.length], [{ key: 'one', sealed: 'sealed', expiresAt }, 0]);
    assert.equal(await store.summary('two'), undefined);
  },

  'reports that it is available': async ({ store }) => {
    await store.ping();
  },
};
