import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LoginFailedError, PlatformClient, type PlatformSession } from 'portico/client';
import { Observation, type SessionEvent } from '../../src/logging/observation.js';
import { type OpenSession } from '../../src/session/open-sessions.js';
import { PlatformLogout } from '../../src/session/platform-logout.service.js';
import { type SealedSessions } from '../../src/session/sealed-sessions.service.js';
import { SessionRunner } from '../../src/session/session-runner.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { type SessionStore } from '../../src/session/store/session-store.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { changedStore } from '../support/session/changed-store.js';
import { sealedSessions, serverKey } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const KEYS = [serverKey('a')] as const;

const readProjects = (session: PlatformSession): Promise<unknown> => session.getProjects();

describe('work on a session of a credential profile that the platform no longer knows', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  let events: SessionEvent[];
  let relogin: (session: PlatformSession) => Promise<void>;
  let logins: number;
  let handle: string;
  let key: string;
  beforeEach(async () => {
    folder = await tempFolder();
    platform = await startUserPlatform();
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
    events = [];
    logins = 0;
    relogin = (session) => session.login({ username: 'alice', password: 'password' });
    const session = client.openSession();
    await relogin(session);
    ({ handle, key } = await sealedSessions(store, client, KEYS).create(session, {
      transport: 'bearer',
      profile: 'nightly',
    }));
    platform.endSessions();
  });
  afterEach(async () => {
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  /** An instance that has loaded the session. */
  const instance = async (
    others: Partial<SessionStore> = {},
  ): Promise<{ runner: SessionRunner; sealed: SealedSessions; open: OpenSession }> => {
    const changed = changedStore(store, others);
    const sealed = sealedSessions(changed, client, KEYS);
    const observation = new Observation();
    observation.add({ sessionEvent: (event) => events.push(event) });
    const logIn = (session: PlatformSession): Promise<void> => {
      logins += 1;
      return relogin(session);
    };
    const logout = new PlatformLogout(observation);
    const runner = new SessionRunner(changed, sealed, client, { logIn }, observation, logout);
    return { runner, sealed, open: (await sealed.load({ handle, transport: 'bearer' })).open };
  };

  it('is done with a new login, which is reported', async () => {
    const { runner, open } = await instance();
    expect(await runner.run(open, readProjects)).toMatchObject({ hasChanged: false });
    expect(open.service).toEqual({ profile: 'nightly', logins: 2 });
    expect(events).toEqual([{ kind: 'relogin', storeKey: key, profile: 'nightly' }]);
  });

  it('notes the new login as a use of the platform session', async () => {
    store.noteUse(key, 1, 1_800_000);
    const { runner, open } = await instance();
    await runner.run(open, readProjects);
    await eventually(async () => {
      const { platformUse } = (await store.peek(key)) ?? {};
      expect(platformUse?.at).toBeGreaterThan(1);
      expect(platformUse?.timeoutMs).toBe(1_800_000);
    });
  });

  it('waits for no other instance, and reads the session only before the login', async () => {
    let reads = 0;
    let readsAtLogin = 0;
    const { runner, open } = await instance({
      isShared: true,
      read: (of) => {
        reads += 1;
        return store.read(of);
      },
    });
    reads = 0;
    const logIn = relogin;
    relogin = (session) => {
      readsAtLogin = reads;
      return logIn(session);
    };
    await runner.run(open, readProjects);
    expect([readsAtLogin, reads]).toEqual([2, 2]);
  });

  it('goes on with a login that another instance has stored before this one may log in', async () => {
    const other = await instance();
    const { runner, open } = await instance({
      lease: async () => {
        await other.runner.run(other.open, readProjects);
        return 'taken';
      },
    });
    await runner.run(open, readProjects);
    expect(logins).toBe(1);
    expect(open.service).toEqual({ profile: 'nightly', logins: 2 });
  });

  it('ends the session when the platform does not know the new one either', async () => {
    const { runner, open } = await instance();
    const logIn = relogin;
    relogin = async (session) => {
      await logIn(session);
      platform.endSessions();
    };
    await expect(runner.run(open, readProjects)).rejects.toMatchObject({ code: 'ERR009' });
    expect(await store.read(key)).toBeUndefined();
    expect(events.map(({ kind }) => kind)).toEqual(['relogin', 'expiry']);
  });

  it('leaves the session alone when the work fails for a reason of its own after the new login', async () => {
    const { runner, open } = await instance();
    const work = async (session: PlatformSession): Promise<void> => {
      await session.getProjects();
      throw new Error('there are no projects');
    };
    await expect(runner.run(open, work)).rejects.toThrow('there are no projects');
    expect(await store.read(key)).toMatchObject({ version: 2 });
  });

  it.each([
    ['ends the session when the platform refuses it', new LoginFailedError('refused'), 0],
    ['leaves the session to the next request when it fails otherwise', new Error('no secret store'), 1],
  ])('logs in again, reports the failure, and %s', async (_then, error, left) => {
    const { runner, open } = await instance();
    relogin = () => Promise.reject(error);
    await expect(runner.run(open, readProjects)).rejects.toBe(error);
    expect(events[0]).toEqual({ kind: 'relogin', storeKey: key, profile: 'nightly', error });
    expect(await store.count()).toBe(left);
  });

  it('gives up when each of five writes loses to another one, and leaves no platform session behind', async () => {
    let writes = 0;
    const { runner, open } = await instance({
      replace: () => {
        writes += 1;
        return Promise.resolve(false);
      },
    });
    await expect(runner.run(open, readProjects)).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
    expect(writes).toBe(5);
    expect(platform.openSessions()).toBe(0);
  });
});
