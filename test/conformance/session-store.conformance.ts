import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SessionLife, type SessionStore } from '../../src/session/store/session-store.js';

/** A store under test, with a clock that the test moves. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Moves the store's clock. */
  advance(milliseconds: number): Promise<void> | void;
  close(): Promise<void>;
}

const LIFE: SessionLife = { idleSeconds: 60, maxSeconds: 600 };
const SECOND = 1000;
const HOUR = 3_600_000;

/** What every session store does, whichever it is. */
export function sessionStoreConformance(
  name: string,
  open: (life: SessionLife) => Promise<StoreUnderTest>,
): void {
  describe(`the ${name} session store`, () => {
    let under: StoreUnderTest;
    let store: SessionStore;
    beforeEach(async () => {
      under = await open(LIFE);
      store = under.store;
    });
    afterEach(() => under.close());

    it('returns what was created, as version 1, with its absolute end', async () => {
      const expiresAt = await store.create('key', 'sealed');
      expect(await store.read('key')).toEqual({ sealed: 'sealed', version: 1, expiresAt });
    });

    it('knows nothing of other keys', async () => {
      await store.create('key', 'sealed');
      expect(await store.read('other')).toBeUndefined();
    });

    it('never creates a key twice', async () => {
      await store.create('key', 'first');
      await expect(store.create('key', 'second')).rejects.toThrow();
      expect(await store.read('key')).toMatchObject({ sealed: 'first' });
    });

    it('replaces the version that was read, and counts it', async () => {
      await store.create('key', 'first');
      expect(await store.replace('key', 1, 'second')).toBe(true);
      expect(await store.read('key')).toMatchObject({ sealed: 'second', version: 2 });
    });

    it('does not replace a version that is no longer current', async () => {
      await store.create('key', 'first');
      await store.replace('key', 1, 'second');
      expect(await store.replace('key', 1, 'late')).toBe(false);
      expect(await store.read('key')).toMatchObject({ sealed: 'second', version: 2 });
    });

    it('lets exactly one of many writers of one version through', async () => {
      await store.create('key', 'first');
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store.replace('key', 1, `writer ${n}`)),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    });

    it('does not bring back what was removed', async () => {
      await store.create('key', 'first');
      expect(await store.remove('key')).toBe(true);
      expect(await store.replace('key', 1, 'late')).toBe(false);
      expect(await store.read('key')).toBeUndefined();
      expect(await store.remove('key')).toBe(false);
    });

    it('removes a given version only while it is current', async () => {
      await store.create('key', 'first');
      await store.replace('key', 1, 'second');
      expect(await store.remove('key', 1)).toBe(false);
      expect(await store.read('key')).toMatchObject({ version: 2 });
      expect(await store.remove('key', 2)).toBe(true);
    });

    it('ends a session that nobody uses', async () => {
      await store.create('key', 'sealed');
      await under.advance(59 * SECOND);
      expect(await store.read('key')).toBeDefined();
      await under.advance(61 * SECOND);
      expect(await store.read('key')).toBeUndefined();
      expect(await store.replace('key', 1, 'late')).toBe(false);
    });

    it('ends a session at its absolute end however much it is used', async () => {
      await store.create('key', 'sealed');
      for (let used = 50; used < 600; used += 50) {
        await under.advance(50 * SECOND);
        expect(await store.read('key')).toBeDefined();
      }
      await under.advance(50 * SECOND);
      expect(await store.read('key')).toBeUndefined();
    });

    it('ends a session that nobody uses although its clock was set back', async () => {
      await store.create('key', 'sealed');
      await under.advance(-HOUR);
      expect(await store.read('key')).toMatchObject({ sealed: 'sealed', version: 1 });
      await under.advance(61 * SECOND);
      expect(await store.read('key')).toBeUndefined();
    });

    it('ends a session within one absolute life after its clock was set back, however much it is used', async () => {
      const createdUntil = await store.create('key', 'sealed');
      await under.advance(-HOUR);
      const expiresAt = (await store.read('key'))?.expiresAt ?? Infinity;
      expect(expiresAt).toBeLessThanOrEqual(createdUntil + 60 * SECOND);
      expect(await store.replace('key', 1, 'second')).toBe(true);
      for (let used = 50; used < 600; used += 50) {
        await under.advance(50 * SECOND);
        expect(await store.read('key')).toMatchObject({ sealed: 'second', version: 2 });
      }
      await under.advance(50 * SECOND);
      expect(await store.read('key')).toBeUndefined();
    });

    it('grants a lease again, held or settled, that was taken before its clock was set back', async () => {
      await store.lease('held', 'first', 3 * SECOND);
      await store.lease('settled', 'first', 3 * SECOND);
      await store.settle('settled', 'first', SECOND);
      await under.advance(-HOUR);
      expect(await store.lease('held', 'second', 3 * SECOND)).toBe('taken');
      expect(await store.lease('settled', 'second', 3 * SECOND)).toBe('taken');
    });

    it('grants the lease of a session to one holder at a time', async () => {
      const states = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store.lease('key', `holder ${n}`, 3 * SECOND)),
      );
      expect(states.filter((state) => state === 'taken')).toHaveLength(1);
      expect(states.filter((state) => state === 'held')).toHaveLength(19);
      expect(await store.lease('other', 'holder', 3 * SECOND)).toBe('taken');
    });

    it('grants the lease to the next holder when it was returned without the work done', async () => {
      await store.lease('key', 'first', 3 * SECOND);
      expect(await store.settle('key', 'first', 0)).toBe(true);
      expect(await store.lease('key', 'second', 3 * SECOND)).toBe('taken');
    });

    it('tells callers that the work has just been done, for as long as the holder asked', async () => {
      await store.lease('key', 'first', 3 * SECOND);
      expect(await store.settle('key', 'first', 2 * SECOND)).toBe(true);
      expect(await store.lease('key', 'second', 3 * SECOND)).toBe('settled');
      await under.advance(2.1 * SECOND);
      expect(await store.lease('key', 'second', 3 * SECOND)).toBe('taken');
    });

    it('keeps a lease while its holder extends it in time, and grants it to others after that', async () => {
      await store.lease('key', 'first', 3 * SECOND);
      await under.advance(2 * SECOND);
      expect(await store.lease('key', 'first', 3 * SECOND)).toBe('taken');
      await under.advance(2 * SECOND);
      expect(await store.lease('key', 'second', 3 * SECOND)).toBe('held');
      await under.advance(1.1 * SECOND);
      expect(await store.lease('key', 'second', 3 * SECOND)).toBe('taken');
    });

    it('ignores a former holder whose lease now belongs to another', async () => {
      await store.lease('key', 'late', 3 * SECOND);
      await under.advance(3.1 * SECOND);
      await store.lease('key', 'second', 3 * SECOND);
      expect(await store.settle('key', 'late', 2 * SECOND)).toBe(false);
      expect(await store.settle('key', 'late', 0)).toBe(false);
      expect(await store.lease('key', 'third', 3 * SECOND)).toBe('held');
      expect(await store.settle('key', 'second', 0)).toBe(true);
      expect(await store.settle('key', 'second', 0)).toBe(false);
    });

    it('shows a session as it is, and prolongs nothing by that', async () => {
      const expiresAt = await store.create('key', 'sealed');
      const peek = await store.peek('key');
      expect(peek).toMatchObject({ sealed: 'sealed', version: 1, expiresAt, platformUse: undefined });
      const left = (peek?.idleExpiresAt ?? 0) - (expiresAt - 600 * SECOND);
      expect(left).toBeGreaterThan(55 * SECOND);
      expect(left).toBeLessThanOrEqual(60 * SECOND + 5);
      // Ten seconds short of the end: the clock of a real store goes on while this asks.
      for (let asked = 0; asked < 50; asked += 1) {
        await under.advance(SECOND);
        expect(await store.peek('key')).toBeDefined();
      }
      await under.advance(10 * SECOND + 5);
      expect(await store.peek('key')).toBeUndefined();
      expect(await store.read('key')).toBeUndefined();
    });

    it('shows the idle end that the last read has moved', async () => {
      await store.create('key', 'sealed');
      const { idleExpiresAt: first } = (await store.peek('key')) ?? { idleExpiresAt: Infinity };
      await under.advance(30 * SECOND);
      await store.read('key');
      const { idleExpiresAt: second } = (await store.peek('key')) ?? { idleExpiresAt: 0 };
      // The clock of Redis stands where it was: what ages there is the session.
      expect(second).toBeGreaterThanOrEqual(first);
      await under.advance(59 * SECOND);
      expect(await store.peek('key')).toBeDefined();
    });

    it('shows no idle end that is later than the absolute one', async () => {
      const expiresAt = await store.create('key', 'sealed');
      for (let used = 0; used < 580; used += 20) {
        await under.advance(20 * SECOND);
        await store.read('key');
      }
      const peek = await store.peek('key');
      expect(peek?.idleExpiresAt).toBeLessThanOrEqual(peek?.expiresAt ?? 0);
      expect(peek?.expiresAt).toBeLessThanOrEqual(expiresAt);
    });

    it('shows no later end after its clock was set back than a new session has', async () => {
      const createdUntil = await store.create('key', 'sealed');
      await under.advance(-HOUR);
      const peek = await store.peek('key');
      expect(peek?.expiresAt).toBeLessThanOrEqual(createdUntil + 60 * SECOND);
      expect(peek?.idleExpiresAt).toBeLessThanOrEqual(peek?.expiresAt ?? 0);
    });

    it('notes the last use of the platform once its time-out is known', async () => {
      await store.create('key', 'sealed');
      const use = async (): Promise<unknown> => (await store.peek('key'))?.platformUse;
      store.noteUse('key', 1000);
      expect(await use()).toBeUndefined();
      store.noteUse('key', 2000, 1_800_000);
      expect(await use()).toEqual({ at: 2000, timeoutMs: 1_800_000 });
      store.noteUse('key', 3000);
      expect(await use()).toEqual({ at: 3000, timeoutMs: 1_800_000 });
      store.noteUse('key', 2500, 900_000);
      expect(await use()).toEqual({ at: 3000, timeoutMs: 900_000 });
      await store.create('other', 'sealed');
      expect((await store.peek('other'))?.platformUse).toBeUndefined();
    });

    it('reports that it is available', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}
