import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { PlatformClient } from 'portico/client';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { storeKey } from '../../src/session/handle.js';
import { type Relogin } from '../../src/session/session-runner.service.js';
import { type SessionService } from '../../src/session/session.service.js';
import { type SessionStore } from '../../src/session/store/session-store.js';
import { beginSession, requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';

/** `npm run fuzz` tries more. */
const THOROUGH = process.env.FUZZ === 'thorough';
const INTERLEAVINGS = THOROUGH ? 1000 : 100;
/** The platform session expires in each of them, so that they take longer. */
const RENEWALS = THOROUGH ? 300 : 50;
const STEPS = ['create', 'read', 'replace', 'remove', 'lease', 'settle'] as const;

describe('a logout among reads and prolongations in flight', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  beforeAll(async () => {
    folder = await tempFolder();
    // Each answer brings a new cookie, so that each piece of work has something to store afterwards.
    platform = await startUserPlatform({ newCookieEachRead: true });
    client = new PlatformClient({ baseUrl: platform.baseUrl, transport: 'undici' });
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
  });
  afterAll(async () => {
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  /** The store, each of whose steps happens when the scheduler says so. */
  function scheduledStore(scheduler: fc.Scheduler): SessionStore {
    const scheduled = Object.fromEntries(
      STEPS.map((step) => [
        step,
        async (...of: never[]) => {
          await scheduler.schedule(Promise.resolve(), `${step} begins`);
          const outcome: unknown = await (store[step] as (...of: never[]) => Promise<unknown>)(...of);
          await scheduler.schedule(Promise.resolve(), `${step} is answered`);
          return outcome;
        },
      ]),
    );
    const noteUse = (...of: Parameters<SessionStore['noteUse']>): void => {
      store.noteUse(...of);
    };
    const now = (): number => store.now();
    return {
      ...scheduled,
      noteUse,
      now,
      ping: () => store.ping(),
      close: () => store.close(),
    } as SessionStore;
  }

  const keys = [serverKey('a')] as const;
  const read = (service: SessionService, handle: string, scheduler: fc.Scheduler): Promise<unknown> =>
    service.read(requestWith(handle), 'getUserInfo', async (session) => {
      await scheduler.schedule(Promise.resolve(), 'the platform is asked');
      return schedule(scheduler, session.getUserInfo(), 'the platform has answered');
    });

  it(`never has its session revived, in ${INTERLEAVINGS} interleavings`, async () => {
    const plain = sessionService(store, client, keys);
    let runs = 0;
    let writesAfterRead = 0;

    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 0, max: 1 }), async (scheduler, readers) => {
        const handle = await beginSession(plain, client, 'alice');
        const service = sessionService(scheduledStore(scheduler), client, keys);
        const other = sessionService(scheduledStore(scheduler), client, keys);
        const outcomes = Promise.allSettled([
          ...Array.from({ length: readers }, () => read(service, handle, scheduler)),
          read(other, handle, scheduler),
          service.use(requestWith(handle), (session) => session.extendSession()),
          service.end(requestWith(handle)),
        ]);
        const settled = await scheduler.waitFor(outcomes);
        runs += 1;
        writesAfterRead += settled.filter(({ status }) => status === 'fulfilled').length - 1;
        expect(settled.at(-1)).toMatchObject({ status: 'fulfilled' });
        expect(await store.read(storeKey(handle))).toBeUndefined();
        expect(await plain.isOpen(requestWith(handle))).toBe(false);
        expect(platform.openSessions()).toBe(0);
      }),
      { numRuns: INTERLEAVINGS, endOnFailure: true },
    );

    expect(runs).toBe(INTERLEAVINGS);
    // Were the logout always first, nothing would have been shown.
    expect(writesAfterRead).toBeGreaterThan(INTERLEAVINGS / 2);
  });

  it(`leaves no platform session behind when it races a new login of a profile, in ${RENEWALS} interleavings`, async () => {
    let renewedFirst = 0;
    let endedFirst = 0;
    // Small numbers more often: only by those is the logout first.
    const lateness = fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 40 }));

    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lateness, fc.boolean(), async (scheduler, late, last) => {
        const relogin: Relogin = {
          logIn: async (session) => {
            await scheduler.schedule(Promise.resolve(), 'a new login begins');
            const login = session.login({ username: 'alice', password: 'password' });
            await schedule(scheduler, login, 'a new login is answered');
          },
        };
        const handle = await beginSession(sessionService(store, client, keys), client, 'alice', 'nightly');
        platform.endSessions();
        const service = sessionService(scheduledStore(scheduler), client, keys, relogin);
        const slow = scheduledStore(scheduler);
        const other = sessionService(
          {
            ...slow,
            remove: async (...of) => {
              for (let n = 0; n < late; n += 1) await scheduler.schedule(Promise.resolve(), 'remove waits');
              // A login takes much longer than a logout, which would nearly always be first.
              if (last) await Promise.allSettled(reads);
              return slow.remove(...of);
            },
          },
          client,
          keys,
          relogin,
        );
        const reads = [read(service, handle, scheduler), read(service, handle, scheduler)] as const;
        const outcomes = Promise.allSettled([...reads, other.end(requestWith(handle))]);
        const settled = await scheduler.waitFor(outcomes);
        if (settled[0].status === 'fulfilled') renewedFirst += 1;
        else endedFirst += 1;
        expect(settled.at(-1)).toMatchObject({ status: 'fulfilled' });
        expect(await store.read(storeKey(handle))).toBeUndefined();
        expect(platform.openSessions()).toBe(0);
      }),
      { numRuns: RENEWALS, endOnFailure: true },
    );

    // Both orders have been shown.
    expect(renewedFirst).toBeGreaterThan(RENEWALS / 20);
    expect(endedFirst).toBeGreaterThan(RENEWALS / 20);
  });
});

/** The scheduler listens to an answer only when its turn comes; one that fails before would end the process. */
function schedule<T>(scheduler: fc.Scheduler, answer: Promise<T>, label: string): Promise<T> {
  answer.catch(() => undefined);
  return scheduler.schedule(answer, label);
}
