import { describe, expect, it, type TestContext } from 'vitest';
import { isSessionExpired, PlatformClient, type PlatformSession } from 'portico/client';
import { type RequestContext } from '../../src/session/request-context.js';
import { storeKey } from '../../src/session/handle.js';
import { type SessionService } from '../../src/session/session.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { type SessionStore } from '../../src/session/store/session-store.js';
import {
  type RenewingPlatform,
  startRenewingPlatform,
} from '../../packages/portico/test/support/embedded-platform/renewing-platform.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { changedStore } from '../support/session/changed-store.js';
import { requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const KEYS = [serverKey('a')] as const;
const READS: ((session: PlatformSession) => Promise<unknown>)[] = [
  (session) => session.getUserInfo(),
  (session) => session.getSessionInfo(),
  (session) => session.getProjects(),
];

/** The store as one that other instances have too. */
const shared = (store: SessionStore): SessionStore => changedStore(store, { isShared: true });

interface Renewed {
  readonly platform: RenewingPlatform;
  readonly store: SessionStore;
  /** Two instances that share the store. */
  readonly one: SessionService;
  readonly two: SessionService;
  readonly handle: string;
}

/** All of them together: a session that another instance may have renewed is looked for again, and that is waiting. */
describe.concurrent.each(['token', 'cookie'] as const)(
  'a stored session whose %s the platform renews',
  (renewal) => {
    async function start(
      { onTestFinished }: TestContext,
      rejection: 'ERR009' | 'ERR003' = 'ERR009',
      profile?: string,
    ): Promise<Renewed> {
      const folder = await tempFolder();
      const store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, {
        idleSeconds: 60,
        maxSeconds: 600,
      });
      const platform = await startRenewingPlatform(renewal, rejection);
      const client = new PlatformClient({ baseUrl: platform.baseUrl, transport: 'undici' });
      onTestFinished(async () => {
        await client.close();
        await store.close();
        await platform.close();
        await folder.remove();
      });
      const relogin = {
        logIn: (session: PlatformSession) => session.login({ username: 'alice', password: 'password' }),
      };
      const one = sessionService(shared(store), client, KEYS, relogin);
      const two = sessionService(shared(store), client, KEYS, relogin);
      const session = client.openSession();
      await relogin.logIn(session);
      const { handle } = await one.create(requestWith(), session, { transport: 'bearer', profile });
      return { platform, store, one, two, handle };
    }

    /** All three reads, with the verdict of each. */
    const readAll = (service: SessionService, contexts: () => RequestContext): Promise<unknown>[] =>
      READS.map((read, n) => service.read(contexts(), `read ${n}`, read).then(() => 'answered', String));

    it.for<[string, number]>([
      ['one request', 1],
      ['requests of their own', 2],
    ])('is lost by no read in %s, of one instance', async ([, requests], context) => {
      const { platform, one, two, handle } = await start(context);
      platform.renewNext(() => platform.rejections() >= 2);
      const same = requestWith(handle);
      const outcomes = await Promise.all(readAll(one, () => (requests === 1 ? same : requestWith(handle))));
      expect(outcomes).toEqual(Array(3).fill('answered'));
      expect(await one.isOpen(requestWith(handle))).toBe(true);
      expect(await Promise.all(readAll(two, () => requestWith(handle)))).toEqual(Array(3).fill('answered'));
    });

    it.for<[string, boolean]>([
      ['has not looked', false],
      ['has looked', true],
    ])(
      'is not lost when another instance stores the cookie of a balancer first, and this one %s meanwhile',
      async ([, looks], context) => {
        const { platform, one, two, handle } = await start(context);
        let isOtherStored = false;
        platform.renewNext(() => isOtherStored);
        const renewing = one.read(requestWith(handle), 'read', (session) => session.getUserInfo());
        await eventually(() => platform.requests.some(({ path }) => path === 'sessions/userInfo'));
        await two.use(requestWith(handle), (session) => {
          const { cookies, ...rest } = session.toDict();
          const [first] = cookies;
          if (first === undefined) throw new Error('there is no cookie');
          const balancer = { ...first, name: 'AWSALB', value: 'node-2' };
          session.updateFromJson({ ...rest, cookies: [...cookies, balancer] }, { isSameSession: true });
          return Promise.resolve();
        });
        if (looks) expect(await one.isOpen(requestWith(handle))).toBe(true);
        isOtherStored = true;
        await renewing;

        for (const service of [one, two]) {
          const outcomes = await Promise.all(readAll(service, () => requestWith(handle)));
          expect(outcomes).toEqual(Array(3).fill('answered'));
          expect(platform.requests.at(-1)?.headers.cookie).toMatch(/AWSALB=node-2/);
        }
        expect(platform.rejections()).toBe(0);
      },
    );

    it('is lost by no read of two instances, whichever is answered first', async (context) => {
      const { platform, one, two, handle } = await start(context);
      for (let round = 0; round < 5; round += 1) {
        const rejected = platform.rejections();
        platform.renewNext(() => platform.rejections() >= rejected + 3);
        const outcomes = await Promise.all(
          [one, two].flatMap((service) => readAll(service, () => requestWith(handle))),
        );
        expect(outcomes).toEqual(Array(6).fill('answered'));
      }
      expect(await two.isOpen(requestWith(handle))).toBe(true);
    });

    it('is logged out at the platform, although that has just renewed it for another instance', async (context) => {
      const { platform, one, two, handle } = await start(context);
      platform.renewNext();
      await one.read(requestWith(handle), 'read', (session) => session.getUserInfo());
      await two.end(requestWith(handle));
      expect(platform.openSessions()).toBe(0);
    });

    it.for(['ERR009', 'ERR003'] as const)(
      'ends when the platform no longer knows it: %s',
      async (rejection, context) => {
        const { platform, store, one, handle } = await start(context, rejection);
        platform.endSessions();
        const request = requestWith(handle);
        const read = one.read(request, 'read', (session) => session.getUserInfo());
        const error: unknown = await read.catch((thrown: unknown) => thrown);
        expect(isSessionExpired(error)).toBe(true);
        expect(error).toMatchObject({ code: rejection });
        expect(request.presented).toBeUndefined();
        expect(await store.read(storeKey(handle))).toBeUndefined();
      },
    );

    it.for(['ERR009', 'ERR003'] as const)(
      'logs in again where it is one of a profile: %s',
      async (rejection, context) => {
        const { platform, one, two, handle } = await start(context, rejection, 'nightly');
        platform.endSessions();
        const outcomes = await Promise.all(
          [one, two].flatMap((service) => readAll(service, () => requestWith(handle))),
        );
        expect(outcomes).toEqual(Array(6).fill('answered'));
        expect(platform.count('POST auth/login')).toBe(2);
      },
    );
  },
);
