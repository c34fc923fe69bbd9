import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { PlatformClient, type PlatformSession, SessionError } from '../../src/client/index.js';
import { EmbeddedSessionStore } from '../../src/session/embedded-session-store.js';
import { type Relogin } from '../../src/session/relogin.js';
import { type RequestContext } from '../../src/session/request-context.js';
import { RecordSeal } from '../../src/session/sealed-record.js';
import { SessionRecords } from '../../src/session/session-records.service.js';
import { SessionRenewal } from '../../src/session/session-renewal.service.js';
import { SessionService } from '../../src/session/session.service.js';
import { gate } from '../support/gate.js';
import { type RotatingPlatform, startRotatingPlatform } from '../support/rotating-platform.js';
import { tempFolder } from '../support/temp-folder.js';

/** Sessions as one instance of the service has them. */
interface Instance {
  readonly sessions: SessionService;
  readonly client: PlatformClient;
}

describe('two instances over one store', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: RotatingPlatform;
  let store: EmbeddedSessionStore;
  let seal: RecordSeal;
  let instances: Instance[];
  let relogin: Relogin;

  const startInstance = (): Instance => {
    const client = new PlatformClient({ baseUrl: platform.baseUrl });
    const records = new SessionRecords(store, seal);
    const renewal = new SessionRenewal(records, client, {
      logIn: (session, profile) => relogin.logIn(session, profile),
    });
    const instance = { sessions: new SessionService(records, client, renewal), client };
    instances.push(instance);
    return instance;
  };
  const logInDirectly: Relogin = {
    logIn: (session) => session.login({ username: 'demo', password: 'demo' }),
  };
  const open = async ({ sessions, client }: Instance): Promise<string> => {
    const session = client.openSession();
    await logInDirectly.logIn(session, 'nightly');
    return (await sessions.begin(request(), session, 'bearer', 'nightly')).handle;
  };
  const request = (handle?: string): RequestContext => ({
    requestId: 'test',
    presented: handle === undefined ? undefined : { handle, transport: 'bearer' },
  });
  const load = ({ sessions }: Instance, handle: string): Promise<number> =>
    sessions.use(request(handle), async (session: PlatformSession) => (await session.getProjects()).length);

  beforeEach(async () => {
    instances = [];
    relogin = logInDirectly;
    folder = await tempFolder();
    platform = await startRotatingPlatform();
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 3600, maxSeconds: 3600 });
    seal = new RecordSeal([{ kid: 'a', key: randomBytes(32) }]);
  });
  afterEach(async () => {
    await Promise.all(instances.map(({ client }) => client.close()));
    await store.close();
    await platform.close();
    await folder.remove();
  });

  it('go on with the one platform session that was written first, and leave no other behind', async () => {
    const [one, other] = [startInstance(), startInstance()];
    const handle = await open(one);
    platform.clock.advance(1_800_000);
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
    const [left, right] = await Promise.all([load(one, handle), load(other, handle)]);
    expect(left).toBe(right);
    expect(platform.logins).toEqual([204, 204, 204]);
    expect(platform.calls('POST auth/logout')).toBe(1);

    await Promise.all([load(one, handle), load(other, handle)]);
    expect(platform.logins).toHaveLength(3);
  });

  it('take over the login of the other, if it was there before', async () => {
    const [one, other] = [startInstance(), startInstance()];
    const handle = await open(one);
    const late = request(handle);
    await other.sessions.isOpen(late);
    platform.clock.advance(1_800_000);
    await load(one, handle);
    const projects = await other.sessions.use(late, (session) => session.getProjects());
    expect(projects.length).toBeGreaterThan(3);
    expect(platform.logins).toEqual([204, 204]);
  });

  it('do not log in over a write to the expired session, and log in once all the same', async () => {
    const one = startInstance();
    const handle = await open(one);
    platform.clock.advance(1_800_000);
    relogin = {
      logIn: async (session, profile) => {
        await logInDirectly.logIn(session, profile);
        const records = new SessionRecords(store, seal);
        const kept = await records.read(handle);
        if (kept !== undefined) await records.replace(handle, kept.version, kept.record);
      },
    };
    expect(await load(one, handle)).toBeGreaterThan(3);
    expect(platform.logins).toEqual([204, 204]);
    expect(platform.calls('POST auth/logout')).toBe(0);
  });

  it('never bring back a session that was logged out meanwhile', async () => {
    const one = startInstance();
    const handle = await open(one);
    platform.clock.advance(1_800_000);
    relogin = {
      logIn: async (session, profile) => {
        await logInDirectly.logIn(session, profile);
        await one.sessions.end(request(handle));
      },
    };
    await expect(load(one, handle)).rejects.toThrow(SessionError);
    expect(platform.calls('POST auth/logout')).toBe(2);
    expect(await one.sessions.isOpen(request(handle))).toBe(false);
  });
});
