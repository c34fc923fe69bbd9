import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LoginFailedError, PlatformClient, type PlatformSession, SessionError } from 'portico/client';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { RedisSessionStore } from '../../src/session/store/redis-session-store.js';
import { type Relogin } from '../../src/session/session-runner.service.js';
import { storeKey } from '../../src/session/handle.js';
import { type SessionService } from '../../src/session/session.service.js';
import { type SessionStore } from '../../src/session/store/session-store.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import {
  type RotatingPlatform,
  startRotatingPlatform,
} from '../support/embedded-platform/rotating-platform.js';
import { changedStore } from '../support/session/changed-store.js';
import { requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { redisMissing, startRedis } from '../support/session/start-redis.js';
import { tempFolder } from '../support/temp-folder.js';
import { storeUnavailable } from '../../src/errors/service-error.js';

const LIFE = { idleSeconds: 3600, maxSeconds: 3600 };
const IDLE_MS = 1_800_000;
const KEYS = [serverKey('a')] as const;

/** Gives two instances their stores: one table of sessions for both. */
interface TwoStores {
  readonly stores: readonly [SessionStore, SessionStore];
  close(): Promise<void>;
}

async function embedded(): Promise<TwoStores> {
  const folder = await tempFolder();
  const store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, LIFE);
  const close = async (): Promise<void> => {
    await store.close();
    await folder.remove();
  };
  return { stores: [store, store], close };
}

async function redis(): Promise<TwoStores> {
  const server = await startRedis();
  const [one, other] = await Promise.all([
    RedisSessionStore.open(server.access, LIFE),
    RedisSessionStore.open(server.access, LIFE),
  ]);
  const close = async (): Promise<void> => {
    await Promise.all([one.close(), other.close()]);
    await server.close();
  };
  return { stores: [one, other], close };
}

/** A store whose leases are worth nothing, as if each had ended by itself. */
function withoutLeases(store: SessionStore): SessionStore {
  return changedStore(store, { lease: () => Promise.resolve('taken') });
}

const STORES = [
  { name: 'the embedded store', startStores: embedded, missing: undefined },
  {
    name: `redis (${redisMissing ?? 'a redis-server that the test owns'})`,
    startStores: redis,
    missing: redisMissing,
  },
];

describe.each(STORES)('two instances over $name', ({ startStores, missing }) => {
  const test = missing === undefined ? it : it.skip;
  let platform: RotatingPlatform;
  let client: PlatformClient;
  let backing: TwoStores;
  let relogin: Relogin;
  let one: SessionService;
  let other: SessionService;
  let handle: string;

  const logInDirectly: Relogin = {
    logIn: (session) => session.login({ username: 'demo', password: 'demo' }),
  };
  const startInstance = (store: SessionStore): SessionService =>
    sessionService(store, client, KEYS, {
      logIn: (session, profile) => relogin.logIn(session, profile),
    });
  const load = async (instance: SessionService): Promise<number> => {
    const projects = await instance.use(requestWith(handle), (session) => session.getProjects());
    return projects.length;
  };

  beforeEach(async () => {
    if (missing !== undefined) return;
    relogin = logInDirectly;
    backing = await startStores();
    platform = await startRotatingPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    [one, other] = [startInstance(backing.stores[0]), startInstance(backing.stores[1])];
    const session = client.openSession();
    await logInDirectly.logIn(session, 'nightly');
    ({ handle } = await one.create(requestWith(), session, { transport: 'bearer', profile: 'nightly' }));
    platform.clock.advance(IDLE_MS);
  });
  afterEach(async () => {
    if (missing !== undefined) return;
    await client.close();
    await backing.close();
    await platform.close();
  });

  test('log in once for 20 operations that find the session expired together', async () => {
    platform.holdLogins(() => platform.calls('GET projects') === 20);
    const loads = Array.from({ length: 10 }, () => [load(one), load(other)]).flat();
    expect(new Set(await Promise.all(loads)).size).toBe(1);
    expect(platform.logins).toEqual([204, 204]);
    expect(platform.calls('POST auth/logout')).toBe(0);
  });

  test('log in once for prolongations that find the session expired together', async () => {
    await Promise.all([one.extend(requestWith(handle)), other.extend(requestWith(handle))]);
    expect(platform.logins).toEqual([204, 204]);
  });

  test('go on with the login that was written first where a lease was lost, and leave no other behind', async () => {
    [one, other] = [
      startInstance(withoutLeases(backing.stores[0])),
      startInstance(withoutLeases(backing.stores[1])),
    ];
    const bothHaveLoggedIn = gate();
    let loggedIn = 0;
    relogin = {
      logIn: async (session, profile) => {
        await logInDirectly.logIn(session, profile);
        loggedIn += 1;
        if (loggedIn === 2) bothHaveLoggedIn.open();
        await bothHaveLoggedIn.passed;
      },
    };
    const [left, right] = await Promise.all([load(one), load(other)]);
    expect(left).toBe(right);
    expect(platform.logins).toEqual([204, 204, 204]);
    expect(platform.calls('POST auth/logout')).toBe(1);

    await Promise.all([load(one), load(other)]);
    expect(platform.logins).toHaveLength(3);
  });

  test('take over the login of the other, if it was there before', async () => {
    const late = requestWith(handle);
    await other.isOpen(late);
    await load(one);
    const projects = await other.use(late, (session) => session.getProjects());
    expect(projects.length).toBeGreaterThan(3);
    expect(platform.logins).toEqual([204, 204]);
  });

  test('log in once although the record of the expired session is written meanwhile', async () => {
    const [store] = backing.stores;
    const seals = sessionService(store, client, KEYS);
    relogin = {
      logIn: async (session, profile) => {
        await logInDirectly.logIn(session, profile);
        await seals.use(requestWith(handle), (expired) => {
          expired.destroyAuthToken();
          return Promise.resolve();
        });
      },
    };
    const { version: before } = (await store.read(storeKey(handle))) ?? { version: 0 };
    expect(await load(one)).toBeGreaterThan(3);
    expect((await store.read(storeKey(handle)))?.version).toBe(before + 2);
    expect(platform.logins).toEqual([204, 204]);
    expect(platform.calls('POST auth/logout')).toBe(0);
  });

  test('never bring back a session that was logged out meanwhile', async () => {
    relogin = {
      logIn: async (session, profile) => {
        await logInDirectly.logIn(session, profile);
        await other.end(requestWith(handle));
      },
    };
    await expect(load(one)).rejects.toThrow(SessionError);
    expect(platform.calls('POST auth/logout')).toBe(2);
    expect(await one.isOpen(requestWith(handle))).toBe(false);
  });

  test('log out the new login that came in between, when the other has read the session before', async () => {
    const [store, shared] = backing.stores;
    let renewed: PlatformSession | undefined;
    relogin = {
      logIn: async (session) => {
        await logInDirectly.logIn(session, 'nightly');
        renewed = session;
      },
    };
    const ending = startInstance(
      changedStore(shared, {
        remove: async (...of) => {
          if (platform.logins.length === 1) await load(one);
          return shared.remove(...of);
        },
      }),
    );
    await ending.end(requestWith(handle));
    expect(platform.logins).toEqual([204, 204]);
    expect(await store.read(storeKey(handle))).toBeUndefined();
    await expect(renewed?.getProjects()).rejects.toMatchObject({ code: 'ERR009' });
  });

  test('log a new login out again that the store does not take', async () => {
    const [store] = backing.stores;
    const failing = startInstance(
      changedStore(store, { replace: () => Promise.reject(storeUnavailable('down')) }),
    );
    await expect(load(failing)).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    await expect(failing.extend(requestWith(handle))).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
    expect(platform.logins).toEqual([204, 204, 204]);
    expect(platform.calls('POST auth/logout')).toBe(2);
    expect(await load(one)).toBeGreaterThan(3);
  });

  test('end a session whose new login is refused: it is tried once, not by every request', async () => {
    let tries = 0;
    relogin = {
      logIn: () => {
        tries += 1;
        return Promise.reject(new LoginFailedError('refused', { code: 'ERR003' }));
      },
    };
    await expect(load(one)).rejects.toThrow(LoginFailedError);
    await expect(load(other)).rejects.toThrow(SessionError);
    expect(tries).toBe(1);
  });
});
