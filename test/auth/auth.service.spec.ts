import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ExecutionCancelledError, LoginFailedError, SessionError } from 'portico/client';
import { CredentialProfiles } from 'portico/credentials';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { profilesFile } from '../../packages/portico/test/support/credentials/profiles-file.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { type AuthService } from '../../src/auth/auth.service.js';
import { storeUnavailable } from '../../src/errors/service-error.js';
import { type SessionEvent } from '../../src/logging/observation.js';
import { type HandleTransport } from '../../src/session/handle.js';
import { type RequestContext } from '../../src/session/request-context.js';
import { SessionTransport } from '../../src/session/session.model.js';
import { type SessionService } from '../../src/session/session.service.js';
import { type EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import { ALICE, authBench, type AuthBench, loginInput as input } from '../support/auth-bench.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { requestWith } from '../support/session/session-bench.js';

let platform: UserPlatform;
let bench: AuthBench;
let store: EmbeddedSessionStore;
let sessions: SessionService;
let auth: AuthService;
let events: SessionEvent[];
let lines: string[];

beforeAll(() => {
  const line = (text: string): number => lines.push(text);
  Logger.overrideLogger({ log: line, warn: line, error: line });
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(async () => {
  lines = [];
  platform = await startUserPlatform();
  await startBench();
});
afterEach(async () => {
  await bench.close();
  await platform.close();
});

async function startBench(
  environment: Record<string, string> = {},
  profiles?: CredentialProfiles,
): Promise<void> {
  bench = await authBench(platform.baseUrl, environment, profiles);
  ({ store, sessions, auth, events } = bench);
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

  it('without credentials begins the session of a guest where anonymous logins are allowed', async () => {
    expect((await auth.login(requestWith(), input({}))).handle).toBeDefined();
  });

  it('with credentials is allowed where anonymous logins are turned off', async () => {
    await bench.close();
    await startBench({ ANONYMOUS_LOGIN: 'false' });

    expect(await isOpen(await handleOf())).toBe(true);
  });

  it('without credentials is not sent to the platform where anonymous logins are turned off', async () => {
    await bench.close();
    await startBench({ ANONYMOUS_LOGIN: 'false' });

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

describe('logins on the platform', () => {
  it('from one network leave some of its sockets to other networks', async () => {
    await bench.close();
    await startBench({ LOGIN_FAILURES_PER_MINUTE: '1000' });
    const held = gate();
    platform.before('POST auth/login', () => held.passed);

    const guests = Array.from({ length: 100 }, () => auth.login(requestWith(), input({})));
    const other = auth.login({ ...requestWith(), network: '192.0.2.1' }, input(ALICE));
    await eventually(() => {
      expect(platform.requests.some(({ body }) => body.includes('alice'))).toBe(true);
    });
    held.open();

    await Promise.all([...guests, other]);
  });

  it('that fail because of a setting say so in the log', async () => {
    await platform.close();

    await expect(auth.login(requestWith(), input(ALICE))).rejects.toThrow();

    expect(lines).toEqual([expect.stringContaining('PLATFORM_BASE_URL: check host and port')]);
  });

  it('by profile begin a session that can be logged in again by it', async () => {
    const key = createHash('sha256').update('key').digest('hex');
    const file = await profilesFile(
      `profiles:\n  nightly: { apiKey: { store: env, name: KEY }, profileKeySha256: ${key} }\n`,
    );
    const profiles = await CredentialProfiles.open(file.path, {
      environment: { KEY: 'secret' },
      onProblem: () => undefined,
    });
    await bench.close();
    await startBench({}, profiles);
    const context = requestWith();

    await auth.login(context, input({ profile: 'nightly', profileKey: 'key' }));

    expect(await sessions.known(context)).toMatchObject({ profile: 'nightly' });
    profiles.close();
    await file.remove();
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

  it('does not replace the earlier one when the platform has just begun it', async () => {
    const earlier = await handleOf();
    context.presented = { handle: earlier, transport: 'bearer' };
    platform.before('POST auth/login', () => {
      caller.abort();
      return Promise.resolve();
    });

    await expect(auth.login(context, input(ALICE))).rejects.toThrow(ExecutionCancelledError);

    expect(await isOpen(earlier)).toBe(true);
    expect(platform.openSessions()).toBe(1);
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

  it('is reported if it could not be ended', async () => {
    await auth.login(context, input(ALICE));
    store.remove = () => Promise.reject(storeUnavailable('down'));

    caller.abort();

    await eventually(() => {
      expect(lines).toEqual(['The session of a caller who hung up could not be ended: ServiceError']);
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
