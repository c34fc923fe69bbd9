import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExecutionCancelledError, LoginFailedError, PlatformClient, SessionError } from 'portico/client';
import { Observation, type SessionEvent } from '../../src/logging/observation.js';
import { EmbeddedSessionStore } from '../../src/session/store/embedded-session-store.js';
import {
  newHandle,
  storeKey,
  isStranger,
  KnownSessions,
  type HandleTransport,
} from '../../src/session/handle.js';
import { type RequestContext } from '../../src/session/request-context.js';
import { type SessionService } from '../../src/session/session.service.js';
import { gate } from '../../packages/portico/test/support/gate.js';
import { manualClock, type ManualClock } from '../../packages/portico/test/support/manual-clock.js';
import { beginSession, requestWith, serverKey, sessionService } from '../support/session/session-bench.js';
import { tempFolder } from '../support/temp-folder.js';
import { startUserPlatform, type UserPlatform } from '../support/embedded-platform/user-platform.js';
import { storeUnavailable } from '../../src/errors/service-error.js';

const KEY = serverKey('a');
const LIFE = { idleSeconds: 60, maxSeconds: 600 };

describe('the session service', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let platform: UserPlatform;
  let client: PlatformClient;
  let store: EmbeddedSessionStore;
  let service: SessionService;
  let handle: string;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = manualClock();
    folder = await tempFolder();
    platform = await startUserPlatform({ newCookieEachRead: true });
    client = new PlatformClient({ baseUrl: platform.baseUrl });
    store = new EmbeddedSessionStore(`${folder.path}/sessions.db`, LIFE, clock.now);
    service = sessionService(store, client, [KEY]);
    handle = await beginSession(service, client, 'alice');
  });
  afterEach(async () => {
    await client.close();
    await store.close();
    await platform.close();
    await folder.remove();
  });

  const me = (context = requestWith(handle)): Promise<unknown> =>
    service.read(context, 'getUserInfo', (session) => session.getUserInfo());
  const extend = (): Promise<unknown> => service.extend(requestWith(handle));
  /** Holds all calls of a route until the gate is opened. */
  const hold = (route: string): { open: () => void; reached: Promise<void> } => {
    const held = gate();
    const reached = gate();
    platform.before(route, () => {
      reached.open();
      return held.passed;
    });
    return { open: held.open, reached: reached.passed };
  };

  it('asks the platform once when many requests of one session want the same at the same time', async () => {
    const { open, reached } = hold('GET sessions/userInfo');
    const asked = Array.from({ length: 20 }, () => me());
    await reached;
    open();
    expect(await Promise.all(asked)).toEqual(Array(20).fill({ id: 'alice', fullName: 'alice' }));
    expect(platform.count('GET sessions/userInfo')).toBe(1);
    await me();
    expect(platform.count('GET sessions/userInfo')).toBe(2);
  });

  it('knows the sessions that began here or were found, and no others', async () => {
    const began = new KnownSessions();
    service = sessionService(store, client, [KEY], undefined, undefined, undefined, began);
    const other = await beginSession(service, client, 'bob');
    const madeUp = newHandle();
    await expect(me(requestWith(madeUp))).rejects.toThrow(SessionError);
    const isKnown = (each: string): boolean => {
      const presented = { handle: each, transport: 'cookie' } as const;
      return !isStranger(began.partyOf({ network: '192.0.2.1', presented }).at(-1) ?? '');
    };
    expect([other, handle, madeUp].map(isKnown)).toEqual([true, false, false]);
    await me();
    expect(isKnown(handle)).toBe(true);
  });

  it('asks the platform nothing for a caller who has already hung up, however many fields the request has', async () => {
    const gone = { ...requestWith(handle), signal: AbortSignal.abort() };
    const asked = await Promise.allSettled(Array.from({ length: 9 }, () => me(gone)));
    expect(asked.map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
    await expect(me(gone)).rejects.toThrow(ExecutionCancelledError);
    expect(platform.count('GET sessions/userInfo')).toBe(0);
  });

  it('shares nothing between two sessions of one user', async () => {
    const other = await beginSession(service, client, 'alice');
    const { open, reached } = hold('GET sessions/userInfo');
    const asked = [me(), me(requestWith(other))];
    await reached;
    open();
    await Promise.all(asked);
    expect(platform.count('GET sessions/userInfo')).toBe(2);
  });

  it('shares nothing between calls of different names', async () => {
    const { open, reached } = hold('GET sessions/userInfo');
    const asked = ['getUserInfo 1', 'getUserInfo 2', 'getUserInfo 1'].map((operation) =>
      service.read(requestWith(handle), operation, (session) => session.getUserInfo()),
    );
    await reached;
    open();
    await Promise.all(asked);
    expect(platform.count('GET sessions/userInfo')).toBe(2);
  });

  it('shares no read that started before a write with later readers', async () => {
    const { open, reached } = hold('GET sessions/userInfo');
    const early = me();
    await reached;
    await extend();
    const late = me();
    open();
    await Promise.all([early, late]);
    expect(platform.count('GET sessions/userInfo')).toBe(2);
  });

  it('extends once for all callers who ask together, and again for a later one', async () => {
    const { open, reached } = hold('PUT sessions');
    const asked = Array.from({ length: 50 }, extend);
    await reached;
    open();
    await Promise.all(asked);
    expect(platform.count('PUT sessions')).toBe(1);
    await extend();
    expect(platform.count('PUT sessions')).toBe(1);
    clock.advance(1001);
    await extend();
    expect(platform.count('PUT sessions')).toBe(2);
  });

  it('does not count a prolongation that failed', async () => {
    platform.before('PUT sessions', () => Promise.reject(new Error('the connection breaks')));
    await expect(extend()).rejects.toThrow();
    platform.before('PUT sessions', () => Promise.resolve());
    await extend();
    expect(platform.count('PUT sessions')).toBe(2);
  });

  it('tells all who shared a read that the session has ended, and each of their cookies goes', async () => {
    const session = client.openSession();
    await session.login({ username: 'bob', password: 'password' });
    const begun = await service.create(requestWith(), session, { transport: 'cookie' });
    const { open, reached } = hold('GET sessions/userInfo');
    const contexts = Array.from({ length: 5 }, () => requestWith(begun.handle, 'cookie'));
    const asked = contexts.map((context) => me(context).catch((error: unknown) => error));
    await reached;
    await session.logout();
    open();
    for (const outcome of await Promise.all(asked)) expect(outcome).toMatchObject({ code: 'ERR009' });
    expect(contexts.map(({ cookie }) => cookie)).toEqual(Array(5).fill('useless'));
    expect(await store.read(storeKey(begun.handle))).toBeUndefined();
  });

  it('lets a verdict on an old version leave a newer one alone', async () => {
    const context = requestWith(handle, 'bearer');
    await service
      .use(context, async () => {
        await me();
        throw new SessionError('The session has expired', { code: 'ERR009' });
      })
      .catch(() => undefined);
    expect(await store.read(storeKey(handle))).toMatchObject({ version: 3 });
    expect(await me(context)).toMatchObject({ id: 'alice' });
  });

  it('does not bring a session back when a read ends after the logout', async () => {
    const { open, reached } = hold('GET sessions/userInfo');
    const late = me();
    await reached;
    await service.end(requestWith(handle));
    open();
    await late.catch(() => undefined);
    expect(await store.read(storeKey(handle))).toBeUndefined();
    expect(await service.isOpen(requestWith(handle))).toBe(false);
    expect(platform.openSessions()).toBe(0);
  });

  it('ends the session on the platform although the store cannot say whether it is gone', async () => {
    const remove = store.remove.bind(store);
    store.remove = async (...of) => {
      await remove(...of);
      throw storeUnavailable('it does not answer in time');
    };
    await expect(service.end(requestWith(handle))).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    });
    expect(platform.openSessions()).toBe(0);
  });

  it('ends a session that is written at each try to remove it', async () => {
    const remove = store.remove.bind(store);
    store.remove = (key, version) => (version === undefined ? remove(key) : Promise.resolve(false));
    await service.end(requestWith(handle));
    expect(await store.read(storeKey(handle))).toBeUndefined();
    expect(platform.openSessions()).toBe(0);
  });

  it.each(['cookie', 'bearer'] as const)(
    'logs a new session out again that the store does not take, by %s, and one of a profile too',
    async (transport) => {
      store.create = () => Promise.reject(storeUnavailable('down'));
      for (const profile of [undefined, 'nightly']) {
        const session = client.openSession();
        await session.login({ username: 'bob', password: 'password' });
        await expect(service.create(requestWith(), session, { transport, profile })).rejects.toMatchObject({
          code: 'SESSION_STORE_UNAVAILABLE',
        });
      }
      expect(platform.openSessions()).toBe(1);
    },
  );

  it.each([
    ['ends', 'bearer', 'bearer', false],
    ['ends', 'cookie', 'cookie', false],
    ['leaves alone', 'bearer', 'cookie', true],
    ['leaves alone', 'cookie', 'bearer', true],
  ] as const)('%s the session of a %s handle by a new login over %s', async (_what, held, to, goesOn) => {
    const login = async (context: RequestContext, transport: HandleTransport): Promise<string> => {
      const session = client.openSession();
      await session.login({ username: 'alice', password: 'password' });
      return (await service.create(context, session, { transport })).handle;
    };
    const former = await login(requestWith(), held);
    const context = requestWith(former, held);
    const alive = platform.openSessions();
    const handle = await login(context, to);
    expect(context.presented).toEqual({ handle, transport: to });
    expect(await service.isOpen(requestWith(handle, to))).toBe(true);
    expect(await service.isOpen(requestWith(former, held))).toBe(goesOn);
    expect(platform.openSessions()).toBe(goesOn ? alive + 1 : alive);
  });

  it('leaves no session on the platform when the earlier one cannot be ended', async () => {
    const session = client.openSession();
    await session.login({ username: 'alice', password: 'password' });
    store.remove = () => Promise.reject(storeUnavailable('down'));
    await expect(service.create(requestWith(handle), session, { transport: 'bearer' })).rejects.toMatchObject(
      { code: 'SESSION_STORE_UNAVAILABLE' },
    );
    expect(platform.openSessions()).toBe(1);
  });

  describe('tells the rest of a request', () => {
    const logIn = async (transport: HandleTransport): Promise<RequestContext> => {
      const session = client.openSession();
      await session.login({ username: 'bob', password: 'password' });
      const context = requestWith();
      await service.create(context, session, { transport });
      return context;
    };

    it('of a new cookie and how long it lasts, and of none for a bearer', async () => {
      const context = await logIn('cookie');
      expect(context.cookie).toEqual({ handle: context.presented?.handle, seconds: 600 });
      expect((await logIn('bearer')).cookie).toBeUndefined();
    });

    it.each([
      ['cookie', 'ended'],
      ['bearer', undefined],
    ] as const)('that a session of a %s has ended', async (transport, cookie) => {
      const { presented } = await logIn(transport);
      const context = requestWith(presented?.handle, transport);
      expect(await service.end(context)).toBe(true);
      expect([context.cookie, context.presented, context.open]).toEqual([cookie, undefined, undefined]);
    });

    it.each([
      ['cookie', 'useless'],
      ['bearer', undefined],
    ] as const)('that a %s opens nothing', async (transport, cookie) => {
      const context = requestWith(newHandle(), transport);
      await expect(me(context)).rejects.toThrow('There is no session: log in first');
      expect(context.cookie).toBe(cookie);
    });

    it('that a foreign bearer token is no handle', async () => {
      await expect(me({ ...requestWith(), foreignBearer: true })).rejects.toThrow(
        'the bearer token of the request is not a session handle of this service',
      );
      await expect(me()).resolves.toBeDefined();
      await expect(me(requestWith())).rejects.toThrow('There is no session: log in first');
    });

    it('nothing when the store fails', async () => {
      store.read = () => Promise.reject(storeUnavailable('down'));
      const context = requestWith(handle, 'cookie');
      await expect(service.isOpen(context)).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
      expect(context.cookie).toBeUndefined();
    });

    it('nothing of an error that has nothing to do with the session', async () => {
      const context = requestWith(handle);
      await service.isOpen(context);
      const { open } = context;
      for (const error of [new Error('other'), new LoginFailedError('There is no such profile')]) {
        await expect(service.use(context, () => Promise.reject(error))).rejects.toBe(error);
        expect(context.open).toBe(open);
      }
    });

    it('that a session of a profile is to be looked for again when its new login was refused', async () => {
      const context = requestWith(await beginSession(service, client, 'alice', 'nightly'));
      const error = new LoginFailedError('There is no such profile');
      await expect(service.use(context, () => Promise.reject(error))).rejects.toBe(error);
      expect(context.open).toBeUndefined();
    });

    it.each([
      ['is told to the later steps of a router', true, { code: 'ERR009' }],
      ['is no longer known to another caller', false, { message: 'There is no session: log in first' }],
    ])('why a session has expired: it %s', async (_what, isRouter, error) => {
      platform.endSessions();
      await expect(me()).rejects.toMatchObject({ code: 'ERR009' });
      await expect(me({ ...requestWith(handle), isRouter })).rejects.toMatchObject(error);
    });
  });

  it('knows the times of a session without asking the platform, and its last use there once that has told its time-out', async () => {
    const start = clock.now();
    expect(await service.known(requestWith(handle))).toEqual({
      transport: 'bearer',
      profile: undefined,
      at: start,
      startedAt: expect.any(Number) as number,
      expiresAt: start + 600_000,
      idleExpiresAt: start + 60_000,
      platformUse: undefined,
    });
    expect(await service.known(requestWith(newHandle()))).toBeUndefined();
    expect(platform.count('GET sessions')).toBe(0);

    expect(await service.status(requestWith(handle))).toMatchObject({ timeout: 1800 });
    const useOf = async (): Promise<unknown> => (await service.known(requestWith(handle)))?.platformUse;
    expect(await useOf()).toEqual({ at: start, timeoutMs: 1_800_000 });
    clock.advance(5000);
    expect(await extend()).toEqual({ expiresAt: start + 600_000 });
    expect(await useOf()).toEqual({ at: start + 5000, timeoutMs: 1_800_000 });
  });

  it('counts a call for its caller, and lets a read wait for its turn before a large answer', async () => {
    const party = ['127.0.0.1', 'guest', storeKey(handle)];
    let turns = 0;
    const onLarge = (): Promise<void> => {
      turns += 1;
      return Promise.reject(new Error('the caller has left'));
    };
    await service.use(requestWith(handle), (_session, call) => {
      expect(call).toEqual({ party });
      return Promise.resolve();
    });
    for (const context of [{ ...requestWith(handle), onLarge }, requestWith(handle)]) {
      await service.read(context, 'large', async (_session, call, key) => {
        expect([call.party, key]).toEqual([party, storeKey(handle)]);
        expect(call.signal).toBeInstanceOf(AbortSignal);
        await call.onLarge?.();
      });
    }
    expect(turns).toBe(1);
  });

  it('reports what was refused, what has expired and which logout failed, with the session', async () => {
    const events: SessionEvent[] = [];
    const observation = new Observation();
    observation.add({ sessionEvent: (event) => events.push(event) });
    service = sessionService(store, client, [KEY], undefined, undefined, observation);
    const madeUp = newHandle();
    await me(requestWith(madeUp)).catch(() => undefined);
    await me(requestWith()).catch(() => undefined);
    expect(events).toMatchObject([
      { kind: 'refusal', storeKey: storeKey(madeUp), error: expect.any(SessionError) },
    ]);

    events.length = 0;
    const other = await beginSession(service, client, 'bob');
    platform.endSessions();
    await me().catch(() => undefined);
    expect(events).toMatchObject([{ kind: 'expiry', storeKey: storeKey(handle), error: { code: 'ERR009' } }]);

    events.length = 0;
    store.remove = () => Promise.reject(storeUnavailable('down'));
    await service.end(requestWith(other)).catch(() => undefined);
    expect(events).toMatchObject([
      { kind: 'logout', storeKey: storeKey(other), error: { code: 'SESSION_STORE_UNAVAILABLE' } },
    ]);
  });
});
