import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ExecutionCancelledError, LoginFailedError, PlatformClient, SessionError } from 'portico/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { AuthService } from '../../src/auth/auth.service.js';
import { LoginInput } from '../../src/auth/login.input.js';
import { LoginLimits, LoginWatch } from '../../src/auth/login-limits.service.js';
import { ProfileLoginService } from '../../src/auth/profile-login.service.js';
import { parseSettings } from '../../src/config/parse-settings.js';
import { storeUnavailable } from '../../src/errors/service-error.js';
import { Observation, type SessionEvent } from '../../src/logging/observation.js';
import { PlatformProbe } from '../../src/platform/platform-probe.service.js';
import { type HandleTransport } from '../../src/session/handle.js';
import { PlatformLogout } from '../../src/session/platform-logout.service.js';
import { type RequestContext } from '../../src/session/request-context.js';
import { SessionTransport } from '../../src/session/session.model.js';
import { type SessionService } from '../../src/session/session.service.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { recordLoginsInProcess } from '../../src/session/store/login-records.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';

const ALICE = { username: 'alice', password: 'password' };

let folder: Awaited<ReturnType<typeof tempFolder>>;
let platform: UserPlatform;
let client: PlatformClient;
let store: EmbeddedSessionStore;
let sessions: SessionService;
let auth: AuthService;
let events: SessionEvent[];

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(async () => {
  folder = await tempFolder();
  platform = await startUserPlatform();
  client = new PlatformClient({ baseUrl: platform.baseUrl });
  store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, { idleSeconds: 60, maxSeconds: 600 });
  auth = authService();
});
afterEach(async () => {
  await client.close();
  await store.close();
  await platform.close();
  await folder.remove();
});

function authService(environment: Record<string, string> = {}): AuthService {
  const settings = parseSettings(environment);
  const observation = new Observation();
  events = [];
  observation.add({ sessionEvent: (event) => events.push(event) });
  sessions = sessionService(store, client, [serverKey('a')], undefined, undefined, observation);
  return new AuthService(
    client,
    sessions,
    new ProfileLoginService(undefined),
    new LoginLimits(settings, recordLoginsInProcess(), new LoginWatch(settings)),
    store,
    settings,
    observation,
    new PlatformProbe(client, settings),
    new PlatformLogout(observation),
  );
}

function input(fields: Partial<LoginInput>): LoginInput {
  return Object.assign(new LoginInput(), { transport: SessionTransport.BEARER, ...fields });
}

/** Logs alice in, in a request of its own; gives the handle. */
async function handleOf(transport = SessionTransport.BEARER): Promise<string> {
  const context = requestWith();
  await auth.login(context, input({ ...ALICE, transport }));
  return context.presented?.handle ?? '';
}

const isOpen = (handle: string, transport: HandleTransport = 'bearer'): Promise<boolean> =>
  sessions.isOpen(requestWith(handle, transport));

describe('a login', () => {
  it('gives its handle to the caller only as a bearer; otherwise it is in the cookie alone', async () => {
    const [bearer, cookie] = [requestWith(), requestWith()];

    const { handle } = await auth.login(bearer, input(ALICE));
    const payload = await auth.login(cookie, input({ ...ALICE, transport: SessionTransport.COOKIE }));

    expect(await isOpen(handle ?? '')).toBe(true);
    expect(bearer.cookie).toBeUndefined();
    expect(payload.handle).toBeUndefined();
    expect(cookie.cookie).toMatchObject({ handle: cookie.presented?.handle, seconds: expect.any(Number) });
  });

  it('is answered when the earlier session of its caller has ended on the platform, and not before', async () => {
    const earlier = await handleOf();
    const [held, reached] = [gate(), gate()];
    platform.before('POST auth/logout', () => {
      reached.open();
      return held.passed;
    });
    let isAnswered = false;

    const login = auth.login(requestWith(earlier), input(ALICE)).then(() => (isAnswered = true));
    await reached.passed;
    expect(await isOpen(earlier)).toBe(false);
    expect(isAnswered).toBe(false);
    held.open();
    await login;

    expect(platform.openSessions()).toBe(1);
  });

  it('is not sent to the platform while no session could be kept', async () => {
    store.ping = () => Promise.reject(storeUnavailable('down'));

    await expect(auth.login(requestWith(), input(ALICE))).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });

    expect(platform.requests).toEqual([]);
  });

  it('without credentials is not sent to the platform where anonymous logins are turned off', async () => {
    auth = authService({ ANONYMOUS_LOGIN: 'false' });

    const refusal = { code: 'FORBIDDEN', reason: 'ANONYMOUS_LOGIN_OFF' };
    await expect(auth.login(requestWith(), input({}))).rejects.toMatchObject(refusal);

    expect(platform.requests).toEqual([]);
    expect(events).toMatchObject([{ kind: 'login', error: refusal }]);
  });

  it('is reported with its account and the session, or with the error', async () => {
    await auth.login(requestWith(), input(ALICE));
    await auth.login(requestWith(), input({ apiKey: 'key' }));
    const byProfile = input({ profile: 'nightly', profileKey: 'key' });
    await expect(auth.login(requestWith(), byProfile)).rejects.toThrow(LoginFailedError);

    expect(events).toMatchObject([
      { kind: 'login', account: 'alice', isCredential: false, storeKey: expect.any(String) },
      { kind: 'login', account: undefined, isCredential: true, storeKey: expect.any(String) },
      { kind: 'profile_use', profile: 'nightly', error: { code: 'ERR003' } },
    ]);
  });
});

describe('the session of a caller who hangs up', () => {
  let caller: AbortController;
  let context: RequestContext;
  beforeEach(() => {
    caller = new AbortController();
    context = { ...requestWith(), signal: caller.signal };
  });

  it('is not begun on the platform after that', async () => {
    const ping = store.ping.bind(store);
    store.ping = async () => {
      caller.abort();
      await ping();
    };

    await expect(auth.login(context, input(ALICE))).rejects.toThrow(ExecutionCancelledError);

    expect(platform.requests).toEqual([]);
  });

  it('is logged out again when the platform has just begun it', async () => {
    platform.before('POST auth/login', () => {
      caller.abort();
      return Promise.resolve();
    });

    await expect(auth.login(context, input(ALICE))).rejects.toThrow(ExecutionCancelledError);

    expect(platform.count('POST auth/login')).toBe(1);
    expect(platform.openSessions()).toBe(0);
  });

  it('is ended when it has just been stored', async () => {
    const create = store.create.bind(store);
    let key = '';
    store.create = async (...of) => {
      [key] = of;
      const expiresAt = await create(...of);
      caller.abort();
      return expiresAt;
    };

    await expect(auth.login(context, input(ALICE))).rejects.toThrow(ExecutionCancelledError);

    expect(await store.read(key)).toBeUndefined();
    expect(platform.openSessions()).toBe(0);
  });

  it('is ended when the answer with its handle has not been sent yet', async () => {
    const { handle = '' } = await auth.login(context, input(ALICE));

    caller.abort();

    await eventually(async () => {
      expect(platform.openSessions()).toBe(0);
      expect(await isOpen(handle)).toBe(false);
    });
  });
});

describe('a logout', () => {
  it('ends the session here and on the platform', async () => {
    const handle = await handleOf();

    expect(await auth.logout(requestWith(handle), false)).toEqual({
      loggedOut: true,
      platformLoggedOut: true,
    });

    expect(await isOpen(handle)).toBe(false);
    expect(platform.openSessions()).toBe(0);
  });

  it('of a session that has expired on the platform has logged it out there too', async () => {
    const handle = await handleOf();
    platform.endSessions();

    expect(await auth.logout(requestWith(handle), false)).toEqual({
      loggedOut: true,
      platformLoggedOut: true,
    });
  });

  it('says so if the platform may still have the session', async () => {
    const handle = await handleOf();
    platform.before('POST auth/logout', () => Promise.reject(new Error('the connection breaks')));

    expect(await auth.logout(requestWith(handle), false)).toEqual({
      loggedOut: true,
      platformLoggedOut: false,
    });
    expect(await isOpen(handle)).toBe(false);
  });

  it('needs a session', async () => {
    await expect(auth.logout(requestWith(), false)).rejects.toThrow(SessionError);
  });
});
