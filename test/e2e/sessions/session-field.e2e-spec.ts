import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlatformClient } from 'portico/client';
import { type EmbeddedPlatform, startEmbeddedPlatform } from 'portico/embedded-platform';
import { newHandle, storeKey } from '../../../src/session/handle.js';
import { RecordSeal } from '../../../src/session/record-seal.js';
import { SessionStore } from '../../../src/session/store/session-store.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { manualClock } from '../../../packages/portico/test/support/manual-clock.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const SECOND = 1000;
const IDLE = 3600;
const MAX = 43_200;
const TIMEOUT = 1800;
const SESSION = 'session { expiresAt idleExpiresAt platformExpiresAt startedAt transport profile }';
const SECONDS = 'session { expiresInSeconds idleExpiresInSeconds platformExpiresInSeconds }';
const COOKIE_LOGIN = `mutation { login(input: { username: "demo", password: "demo" }) { handle ${SESSION} } }`;

describe('the session that a page sees', () => {
  const clock = manualClock();
  let platform: EmbeddedPlatform;
  let app: TestApp;
  const [start, awake] = [clock.now(), performance.now.bind(performance)];
  // Time passes on all clocks of a machine: the wall clock alone would have been set.
  const turnClocks = (): void => {
    vi.spyOn(Date, 'now').mockImplementation(clock.now);
    vi.spyOn(performance, 'now').mockImplementation(() => awake() + clock.now() - start);
  };
  beforeEach(turnClocks);
  beforeAll(async () => {
    turnClocks();
    platform = await startEmbeddedPlatform({ idleSeconds: TIMEOUT, now: clock.now });
    app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      SESSION_IDLE_SECONDS: String(IDLE),
      SESSION_MAX_SECONDS: String(MAX),
    });
  });
  afterAll(async () => {
    await app.close();
    vi.restoreAllMocks();
  });

  const at = (seconds: number, from = clock.now()): string => new Date(from + seconds * SECOND).toISOString();
  const logIn = (input: Record<string, unknown> = {}): Promise<string> =>
    bearerHandle(app.graphql, { username: 'demo', password: 'demo', ...input });
  const session = async (handle?: string): Promise<Record<string, string | null> | null> => {
    const { data, errors } = await app.graphql(`{ ${SESSION} }`, handle === undefined ? {} : { handle });
    expect(errors).toBeUndefined();
    return data.session as Record<string, string | null> | null;
  };

  it('is null without a handle, and with one that opens nothing', async () => {
    expect(await session()).toBeNull();
    expect(await session('A'.repeat(43))).toBeNull();
  });

  it('tells with the login when it began, how it is carried, and when it ends', async () => {
    const { data, errors } = await app.graphql(COOKIE_LOGIN);
    expect(errors).toBeUndefined();
    expect(data.login).toEqual({
      handle: null,
      session: {
        expiresAt: at(MAX),
        idleExpiresAt: at(IDLE),
        platformExpiresAt: null,
        startedAt: at(0),
        transport: 'COOKIE',
        profile: null,
      },
    });
  });

  it('knows the end of the platform session once the platform has told its time-out', async () => {
    const handle = await logIn();
    expect(await session(handle)).toMatchObject({ platformExpiresAt: null, transport: 'BEARER' });
    await app.graphql('{ sessionStatus { timeoutSeconds } }', { handle });
    const until = at(TIMEOUT);
    clock.advance(60 * SECOND);
    expect(await session(handle)).toMatchObject({ platformExpiresAt: until });
    const { data } = await app.graphql(`mutation { extend { ${SESSION} } }`, { handle });
    expect(data.extend.session).toMatchObject({ platformExpiresAt: at(TIMEOUT), startedAt: at(-60) });
  });

  it('tells how many seconds are left as of each answer, rounded up, and never fewer than none', async () => {
    const handle = await logIn();
    const left = async (): Promise<unknown> => (await app.graphql(`{ ${SECONDS} }`, { handle })).data.session;
    const all = { expiresInSeconds: MAX, idleExpiresInSeconds: IDLE, platformExpiresInSeconds: null };
    expect(await left()).toEqual(all);
    await app.graphql('{ sessionStatus { timeoutSeconds } }', { handle });
    expect(await left()).toEqual({ ...all, platformExpiresInSeconds: TIMEOUT });
    clock.advance(100 * SECOND + 1);
    const later = {
      expiresInSeconds: MAX - 100,
      idleExpiresInSeconds: IDLE - 100,
      platformExpiresInSeconds: TIMEOUT - 100,
    };
    expect(await left()).toEqual(later);
    clock.advance(TIMEOUT * SECOND);
    expect(await left()).toMatchObject({ platformExpiresInSeconds: 0 });
  });

  it('tells the end of the platform session to the second', async () => {
    const handle = await logIn();
    await app.graphql('{ sessionStatus { timeoutSeconds } }', { handle });
    clock.advance(TIMEOUT * SECOND - 1);
    expect((await app.graphql('{ me { id } }', { handle })).errors).toBeUndefined();
    clock.advance(1);
    expect(await session(handle)).toMatchObject({ platformExpiresAt: at(0) });
    const { errors } = await app.graphql('{ me { id } }', { handle });
    expect(errors?.[0]?.extensions.reason).toBe('SESSION_EXPIRED');
    expect(await session(handle)).toBeNull();
  });

  it('prolongs nothing by ten minutes of a countdown that asks every second', async () => {
    const handle = await logIn();
    await app.graphql('{ sessionStatus { timeoutSeconds } }', { handle });
    const first = await session(handle);
    for (let asked = 0; asked < 600; asked += 1) {
      clock.advance(SECOND);
      expect(await session(handle)).toEqual(first);
    }
    clock.advance((TIMEOUT - 600) * SECOND);
    const { errors } = await app.graphql('{ me { id } }', { handle });
    expect(errors?.[0]?.extensions.reason).toBe('SESSION_EXPIRED');
  });

  it('lets the handle expire while a page asks for nothing else', async () => {
    const handle = await logIn();
    for (let asked = 0; asked < 59; asked += 1) {
      clock.advance(60 * SECOND);
      expect(await session(handle)).toMatchObject({ expiresAt: at(MAX - (asked + 1) * 60) });
    }
    clock.advance(60 * SECOND);
    expect(await session(handle)).toBeNull();
  });

  it('opens a record of an earlier version, which does not tell when it began', async () => {
    const client = new PlatformClient({ baseUrl: platform.baseUrl });
    const platformSession = client.openSession();
    await platformSession.login({ username: 'demo', password: 'demo' });
    const handle = newHandle();
    const place = { handle, storeKey: storeKey(handle), version: 1 };
    const record = JSON.stringify({ transport: 'bearer', snapshot: platformSession.toDict() });
    const sealed = app.app.get(RecordSeal, { strict: false }).seal(record, place);
    await app.app.get<SessionStore>(SessionStore, { strict: false }).create(place.storeKey, sealed);
    await client.close();
    expect(await session(handle)).toMatchObject({ startedAt: at(0), expiresAt: at(MAX) });
    expect((await app.graphql('{ me { fullName } }', { handle })).data.me).not.toBeNull();
  });

  it('clears a cookie that opens nothing', async () => {
    const { data, headers } = await app.graphql(`{ ${SESSION} }`, {
      headers: { cookie: `__Host-portico=${'A'.repeat(43)}` },
    });
    expect(data.session).toBeNull();
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-portico=; .*Expires=Thu, 01 Jan 1970/),
    ]);
  });

  it('is told while the platform is away, which nobody asks', async () => {
    const handle = await logIn();
    const before = await session(handle);
    expect(before).not.toBeNull();
    await platform.close();
    expect(await session(handle)).toEqual(before);
    const { errors } = await app.graphql('{ me { id } }', { handle });
    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  });
});
