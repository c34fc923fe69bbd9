import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { PlatformClient } from 'portico/client';
import { type Settings } from '../../src/config/settings.js';
import { Observation, type SessionEvent } from '../../src/logging/observation.js';
import { KnownSessions } from '../../src/session/handle.js';
import { type OpenSession } from '../../src/session/open-sessions.js';
import { PlatformLogout } from '../../src/session/platform-logout.service.js';
import { RecordSeal, RefusedRecords } from '../../src/session/record-seal.js';
import { SealedSessions } from '../../src/session/sealed-sessions.service.js';
import { SessionEndings } from '../../src/session/session-endings.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { type Ending, type SessionStore } from '../../src/session/store/session-store.js';
import { storeUnavailable } from '../../src/errors/service-error.js';
import { holdTimers } from '../../packages/portico/test/support/client/hold-timers.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { manualClock, type ManualClock } from '../../packages/portico/test/support/manual-clock.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { changedStore } from '../support/session/changed-store.js';
import { serverKey } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const LIFE = { idleSeconds: 60, maxSeconds: 150 };
const KEY = serverKey('a');
const TEN_MINUTES = 600_000;

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});

describe('a session that ends without its caller', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let clock: ManualClock;
  let store: EmbeddedSessionStore;
  /** The same store, as one that other instances have too. */
  let shared: SessionStore;
  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    clock = manualClock();
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, LIFE, clock.now);
    shared = changedStore(store, { isShared: true });
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  interface Instance {
    readonly endings: SessionEndings;
    readonly sealed: SealedSessions;
    readonly events: SessionEvent[];
    readonly begin: (account?: string) => Promise<OpenSession>;
    readonly use: (open: OpenSession) => Promise<OpenSession>;
  }
  const instance = (
    of: SessionStore = store,
    most?: number,
    keys: ConstructorParameters<typeof RecordSeal>[0] = [KEY],
  ): Instance => {
    const events: SessionEvent[] = [];
    const observation = new Observation();
    observation.add({ sessionEvent: (event) => events.push(event) });
    const settings = { SESSION_IDLE_SECONDS: LIFE.idleSeconds, SESSIONS_MAX_PER_ACCOUNT: most } as Settings;
    const endings = new SessionEndings(of, client, new PlatformLogout(observation), observation, settings);
    const seal = new RecordSeal(keys);
    const sealed = new SealedSessions(of, seal, client, new RefusedRecords(), new KnownSessions(), endings);
    return {
      endings,
      sealed,
      events,
      begin: async (account) => {
        const session = client.openSession();
        await session.login({ username: 'alice', password: 'password' });
        return sealed.create(session, { transport: 'bearer', account });
      },
      use: async ({ handle }) => (await sealed.load({ handle, transport: 'bearer' })).open,
    };
  };
  const timeout = ({ key }: OpenSession): SessionEvent => ({ kind: 'timeout', storeKey: key });
  const ended = ({ key }: OpenSession, cause: SessionEvent['cause']): SessionEvent => ({
    kind: 'end',
    storeKey: key,
    cause,
  });
  const livingOf = async (sessions: readonly OpenSession[]): Promise<boolean[]> =>
    Promise.all(sessions.map(async ({ key }) => (await store.peek(key)) !== undefined));

  describe('because its time is over', () => {
    it('is logged out on the platform once its idle time has passed, and not before', async () => {
      const peek = vi.spyOn(store, 'peek');
      const { endings, events, begin } = instance();
      const open = await begin();
      clock.advance(59_999);
      await endings.look();
      expect([platform.openSessions(), events]).toEqual([1, []]);
      expect(peek).not.toHaveBeenCalled();

      clock.advance(1);
      await endings.look();
      expect([platform.openSessions(), events]).toEqual([0, [timeout(open)]]);

      await endings.look();
      expect(events).toHaveLength(1);
    });

    it('has a new idle time with each use', async () => {
      const { endings, begin, use } = instance();
      const open = await begin();
      clock.advance(40_000);
      await use(open);
      clock.advance(20_000);
      await endings.look();
      expect(platform.openSessions()).toBe(1);
      clock.advance(40_000);
      await endings.look();
      expect(platform.openSessions()).toBe(0);
    });

    it('is logged out at its absolute end, however late it was used', async () => {
      const { endings, begin, use } = instance();
      const open = await begin();
      for (let used = 0; used < 140; used += 35) {
        clock.advance(35_000);
        await use(open);
      }
      clock.advance(10_000);
      await endings.look();
      expect(platform.openSessions()).toBe(0);
    });

    it('is logged out by the instance that used it last, although another began it', async () => {
      const [one, other] = [instance(shared), instance(shared)];
      const open = await one.begin();
      clock.advance(30_000);
      await other.use(open);
      clock.advance(30_000);
      await one.endings.look();
      expect(platform.openSessions()).toBe(1);
      clock.advance(30_000);
      await Promise.all([one.endings.look(), other.endings.look()]);
      expect(platform.openSessions()).toBe(0);
      expect([...one.events, ...other.events]).toEqual([timeout(open)]);
    });

    it('is still logged out by the one that began it when it was used elsewhere and that instance is gone', async () => {
      const [one, gone] = [instance(shared), instance(shared)];
      const open = await one.begin();
      clock.advance(30_000);
      await gone.use(open);
      clock.advance(30_000);
      await one.endings.look();
      clock.advance(30_000);
      await one.endings.look();
      expect(one.events).toEqual([timeout(open)]);
    });

    it('is looked at again only when it may be over', async () => {
      const peek = vi.spyOn(store, 'peek');
      const [one, other] = [instance(shared), instance(shared)];
      const open = await one.begin();
      clock.advance(30_000);
      await other.use(open);
      clock.advance(30_000);
      await one.endings.look();
      expect(peek).toHaveBeenCalledTimes(1);
      clock.advance(29_999);
      await one.endings.look();
      expect(peek).toHaveBeenCalledTimes(1);
    });

    it('is left to the instance that has changed it: only that can log it out', async () => {
      const [one, other] = [instance(shared), instance(shared)];
      const open = await one.begin();
      clock.advance(30_000);
      const changed = await other.use(open);
      changed.session.destroyAuthToken();
      await changed.session.login({ username: 'alice', password: 'password' });
      await other.sealed.save(changed);
      clock.advance(30_000);
      await one.endings.look();
      clock.advance(30_000);
      await one.endings.look();
      expect([one.events, platform.openSessions()]).toEqual([[], 2]);
      await other.endings.look();
      expect([other.events, platform.openSessions()]).toEqual([[timeout(open)], 1]);
    });

    it('is logged out with what it became by its last change here', async () => {
      const { endings, sealed, begin } = instance();
      const open = await begin();
      await open.session.logout();
      await open.session.login({ username: 'alice', password: 'password' });
      await sealed.save(open);
      clock.advance(60_000);
      await endings.look();
      expect(platform.openSessions()).toBe(0);
    });

    it('is logged out although an older key has sealed its record', async () => {
      const open = await instance().begin();
      const { endings, use } = instance(store, undefined, [serverKey('b'), KEY]);
      await use(open);
      clock.advance(60_000);
      await endings.look();
      expect(platform.openSessions()).toBe(0);
    });

    it('is not logged out again when its end was taken care of by its caller', async () => {
      const left: string[][] = [];
      const of = changedStore(shared, { leaveAccount: (...account) => left.push(account) });
      const [one, other] = [instance(of), instance(shared)];
      const open = await one.begin('alice');
      await other.use(open);
      await one.sealed.end(open);
      expect(left).toEqual([['alice', open.key]]);
      // Long after the idle time, in which another instance could have missed the end.
      clock.advance(TEN_MINUTES - 1);
      for (const { endings, events } of [one, other]) {
        await endings.look();
        expect(events).toEqual([]);
      }
      expect(platform.openSessions()).toBe(1);
    });

    it('of no account leaves none', async () => {
      const leaveAccount = vi.spyOn(store, 'leaveAccount');
      const { sealed, begin } = instance();
      await sealed.end(await begin());
      expect(leaveAccount).not.toHaveBeenCalled();
    });

    it('is one of a hundred at a time, the one that was used longest ago first, and of 20,000 in all', async () => {
      const peeked: string[] = [];
      const of = changedStore(store, {
        peek: (key) => {
          peeked.push(key);
          return Promise.resolve(undefined);
        },
      });
      const { endings } = instance(of);
      const session = client.openSession();
      const expiresAt = clock.now() + 150_000;
      const use = (n: number): void => {
        const stored = { version: 1, sealed: '', saved: session.json(), revision: 0 };
        endings.used({ key: String(n), stored, expiresAt, session } as OpenSession);
      };
      for (let n = 0; n < 20_000; n += 1) use(n);
      use(1);
      clock.advance(60_000);
      await endings.look();
      expect(peeked).toEqual(['0', ...Array.from({ length: 99 }, (_, n) => String(n + 2))]);

      peeked.length = 0;
      clock.advance(-60_000);
      for (let n = 0; n < 101; n += 1) use(20_000 + n);
      clock.advance(60_000);
      await endings.look();
      expect(peeked).toEqual(Array.from({ length: 100 }, (_, n) => String(n + 102)));
    });
  });

  describe('because its account has too many', () => {
    it('is the oldest, is reported, and is logged out on the platform soon', async () => {
      const { events, begin } = instance(store, 2);
      const begun: OpenSession[] = [];
      for (const account of ['alice', 'bob', 'alice', undefined, undefined, undefined, 'alice'])
        begun.push(await begin(account));
      expect(await livingOf(begun)).toEqual([false, true, true, true, true, true, true]);
      await eventually(() => {
        expect(events).toEqual(begun.slice(0, 1).map((open) => ended(open, 'account_limit')));
      });
      expect(platform.openSessions()).toBe(6);
    });

    it('is not looked for at the login of a guest', async () => {
      const ofAccount = vi.spyOn(store, 'ofAccount');
      await instance(store, 1).begin();
      expect(ofAccount).not.toHaveBeenCalled();
    });

    it('ends nothing where there is no limit, and the store is not asked', async () => {
      const ofAccount = vi.spyOn(store, 'ofAccount');
      const { begin } = instance();
      const begun: OpenSession[] = [];
      for (let n = 0; n < 5; n += 1) begun.push(await begin('alice'));
      expect(await livingOf(begun)).toEqual(Array(5).fill(true));
      expect(ofAccount).not.toHaveBeenCalled();
    });

    it('is looked for only when there are more than the limit', async () => {
      const peek = vi.spyOn(store, 'peek');
      const { begin } = instance(store, 2);
      await begin('alice');
      await begin('alice');
      expect(peek).not.toHaveBeenCalled();
    });

    it.each([2, 3, 4])('is none of those that have ended, which leave the account: %d', async (most) => {
      const left: string[] = [];
      const endings = vi.spyOn(store, 'endings');
      const of = changedStore(store, {
        ofAccount: async (account) => ['gone', 'gone too', ...(await store.ofAccount(account))],
        leaveAccount: (account, key) => left.push(`${account} ${key}`),
      });
      const { begin } = instance(of, most);
      const begun = [await begin('alice'), await begin('alice')];
      expect(await livingOf(begun)).toEqual([true, true]);
      const isLookedAt = most < 4;
      expect(left.slice(-2)).toEqual(isLookedAt ? ['alice gone', 'alice gone too'] : []);
      expect(endings).not.toHaveBeenCalled();
    });

    it('fails no login when the store fails, which is logged', async () => {
      const logged = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
      const of = changedStore(store, { ofAccount: () => Promise.reject(storeUnavailable('down')) });
      const open = await instance(of, 2).begin('alice');
      expect(await livingOf([open])).toEqual([true]);
      expect(logged.mock.calls).toEqual([
        ['The sessions of an account could not be looked through: The session store is unavailable: down'],
      ]);
    });
  });

  describe('because its caller logs out everywhere', () => {
    it('is each of its account, and none of another', async () => {
      const { endings, events, begin } = instance();
      const begun = [await begin('alice'), await begin('alice'), await begin('bob'), await begin()];
      await endings.endEverywhere('alice');
      expect(await livingOf(begun)).toEqual([false, false, true, true]);
      await eventually(() => {
        expect(events).toHaveLength(2);
      });
      for (const open of begun.slice(0, 2)) expect(events).toContainEqual(ended(open, 'everywhere'));
      expect(platform.openSessions()).toBe(2);
    });

    it('is none where the session has no account', async () => {
      const ofAccount = vi.spyOn(store, 'ofAccount');
      await instance().endings.endEverywhere(undefined);
      expect(ofAccount).not.toHaveBeenCalled();
    });

    it.each([
      [15, 1],
      [16, 2],
    ])('is looked for again only where there were many: of %d, %d times', async (count, times) => {
      const { endings, begin } = instance();
      for (let n = 0; n < count; n += 1) await begin('alice');
      const ofAccount = vi.spyOn(store, 'ofAccount');
      await endings.endEverywhere('alice');
      expect(ofAccount).toHaveBeenCalledTimes(times);
      expect(await store.count()).toBe(0);
      await eventually(() => platform.openSessions() === 0);
    });

    it('leaves the account', async () => {
      const { endings, begin } = instance();
      const { key } = await begin('alice');
      const leaveAccount = vi.spyOn(store, 'leaveAccount');
      await endings.endEverywhere('alice');
      expect(leaveAccount.mock.calls).toEqual([['alice', key]]);
      await eventually(() => platform.openSessions() === 0);
    });
  });

  describe('because an operator ends it', () => {
    it('is reported once, and logged out once, by one of the instances that used it', async () => {
      const [one, other] = [instance(shared), instance(shared)];
      const open = await one.begin();
      await other.use(open);
      await store.end(open.key, 'operator');
      for (let looks = 0; looks < 2; looks += 1) {
        for (const { endings } of [one, other]) await endings.look();
      }
      await eventually(() => platform.openSessions() === 0);
      expect([...one.events, ...other.events]).toEqual([ended(open, 'operator')]);
      expect(platform.count('POST auth/logout')).toBe(1);
    });

    it('is reported at once by an instance that shares its store with no other, although it never used it', async () => {
      const open = await instance().begin();
      const { endings, events } = instance();
      await store.end(open.key, 'operator');
      await endings.look();
      expect(events).toEqual([ended(open, 'operator')]);
      expect(platform.openSessions()).toBe(1);
      await endings.look();
      expect(events).toHaveLength(1);
    });

    it('is asked for from the last that was finished', async () => {
      const { endings, begin } = instance();
      const told = vi.spyOn(store, 'endings');
      const begun = [await begin(), await begin(), await begin()];
      for (const { key } of begun) {
        clock.advance(10);
        await store.end(key, 'operator');
        await endings.look();
      }
      await endings.look();
      const sinces = told.mock.calls.map(([since]) => since - clock.now());
      expect(sinces.slice(1)).toEqual([-20, -10, 0]);
      await eventually(() => platform.openSessions() === 0);
    });

    it('is left for four seconds to the instances that used it, and those after it are not held up', async () => {
      const [one, other] = [instance(shared), instance(shared)];
      const [foreign, own] = [await one.begin(), await other.begin()];
      await store.end(foreign.key, 'operator');
      clock.advance(1);
      await store.end(own.key, 'operator');
      const endings = vi.spyOn(store, 'endings');
      const start = clock.now() - 1;
      await other.endings.look();
      await eventually(() => {
        expect(other.events).toEqual([ended(own, 'operator')]);
      });

      clock.advance(3998);
      await other.endings.look();
      expect(other.events).toHaveLength(1);
      clock.advance(1);
      await other.endings.look();
      await other.endings.look();
      expect(other.events).toEqual([ended(own, 'operator'), ended(foreign, 'operator')]);
      // From where one was left, until that is finished; at first, all that are still told.
      const sinces = endings.mock.calls.map(([since]) => since - start);
      expect(sinces).toEqual([1 - TEN_MINUTES, 0, 0, 1]);
    });
  });

  describe('is looked for', () => {
    const endingsOf = (endings: () => Promise<readonly Ending[]>): SessionStore =>
      changedStore(store, { endings });

    it('once for all who ask meanwhile, and again after that', async () => {
      const held = gate();
      let asked = 0;
      const { endings } = instance(
        endingsOf(async () => {
          asked += 1;
          await held.passed;
          return [];
        }),
      );
      const looks = [endings.look(), endings.look()];
      held.open();
      await Promise.all(looks);
      expect(asked).toBe(1);
      await endings.look();
      expect(asked).toBe(2);
    });

    it('again after the store has failed', async () => {
      const answers = [() => Promise.reject(storeUnavailable('down')), () => Promise.resolve([])];
      const endings = vi.fn(() => (answers.shift() ?? (() => Promise.resolve([])))());
      const { endings: all, begin } = instance(endingsOf(endings));
      await begin();
      clock.advance(60_000);
      await all.look();
      expect(platform.openSessions()).toBe(1);
      await all.look();
      expect(platform.openSessions()).toBe(0);
    });

    it('every two seconds until the service stops, which waits for the last look', async () => {
      holdTimers('setInterval');
      const held = gate();
      let asked = 0;
      const { endings } = instance(
        endingsOf(async () => {
          asked += 1;
          await held.passed;
          return [];
        }),
      );
      endings.onApplicationBootstrap();
      vi.advanceTimersByTime(1999);
      expect(asked).toBe(0);
      vi.advanceTimersByTime(1);
      expect(asked).toBe(1);

      let hasStopped = false;
      const stopping = endings.beforeApplicationShutdown().then(() => (hasStopped = true));
      await new Promise(setImmediate);
      expect(hasStopped).toBe(false);
      held.open();
      await stopping;
      vi.advanceTimersByTime(10_000);
      expect(asked).toBe(1);
    });
  });
});
