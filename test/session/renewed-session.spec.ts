import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe.each(['token', 'cookie'] as const)('a stored session whose %s the platform renews', (renewal) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: RenewingPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  let one: SessionService;
  let two: SessionService;
  let handle: string;
  const start = async (rejection: 'ERR009' | 'ERR003' = 'ERR009', profile?: string): Promise<void> => {
    platform = await startRenewingPlatform(renewal, rejection);
    client = new PlatformClient({ baseUrl: platform.baseUrl, transport: 'undici' });
    const relogin = {
      logIn: (session: PlatformSession) => session.login({ username: 'alice', password: 'password' }),
    };
    one = sessionService(shared(store), client, KEYS, relogin);
    two = sessionService(shared(store), client, KEYS, relogin);
    const session = client.openSession();
    await relogin.logIn(session);
    ({ handle } = await one.create(requestWith(), session, { transport: 'bearer', profile }));
  };
  beforeEach(async () => {
    folder = await tempFolder();
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
  });
  afterEach(async () => {
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  /** All three reads, with the verdict of each. */
  const readAll = (service: SessionService, contexts: () => RequestContext): Promise<unknown>[] =>
    READS.map((read, n) => service.read(contexts(), `read ${n}`, read).then(() => 'answered', String));

  it.each([
    ['one request', 1],
    ['requests of their own', 2],
  ])('is lost by no read in %s, of one instance', async (_where, requests) => {
    await start();
    platform.renewNext(() => platform.rejections() >= 2);
    const same = requestWith(handle);
    const outcomes = await Promise.all(readAll(one, () => (requests === 1 ? same : requestWith(handle))));
    expect(outcomes).toEqual(Array(3).fill('answered'));
    expect(await one.isOpen(requestWith(handle))).toBe(true);
    expect(await Promise.all(readAll(two, () => requestWith(handle)))).toEqual(Array(3).fill('answered'));
  });

  it.each([
    ['has not looked', false],
    ['has looked', true],
  ])(
    'is not lost when another instance stores the cookie of a balancer first, and this one %s meanwhile',
    async (_when, looks) => {
      await start();
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

  it('is lost by no read of two instances, whichever is answered first', async () => {
    await start();
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

  it('is logged out at the platform, although that has just renewed it for another instance', async () => {
    await start();
    platform.renewNext();
    await one.read(requestWith(handle), 'read', (session) => session.getUserInfo());
    await two.end(requestWith(handle));
    expect(platform.openSessions()).toBe(0);
  });

  it.each(['ERR009', 'ERR003'] as const)(
    'ends when the platform no longer knows it: %s',
    async (rejection) => {
      await start(rejection);
      platform.endSessions();
      const context = requestWith(handle);
      const read = one.read(context, 'read', (session) => session.getUserInfo());
      const error: unknown = await read.catch((thrown: unknown) => thrown);
      expect(isSessionExpired(error)).toBe(true);
      expect(error).toMatchObject({ code: rejection });
      expect(context.presented).toBeUndefined();
      expect(await store.read(storeKey(handle))).toBeUndefined();
    },
  );

  it.each(['ERR009', 'ERR003'] as const)(
    'logs in again where it is one of a profile: %s',
    async (rejection) => {
      await start(rejection, 'nightly');
      platform.endSessions();
      const outcomes = await Promise.all(
        [one, two].flatMap((service) => readAll(service, () => requestWith(handle))),
      );
      expect(outcomes).toEqual(Array(6).fill('answered'));
      expect(platform.count('POST auth/login')).toBe(2);
    },
  );
});
