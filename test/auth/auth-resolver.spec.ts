import 'reflect-metadata';
import { startEmbeddedPlatform, type EmbeddedPlatform } from 'portico/embedded-platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthResolver } from '../../src/auth/auth.resolver.js';
import { IdentityTokenResolver } from '../../src/auth/identity-token.resolver.js';
import { SessionTransport } from '../../src/session/session.model.js';
import { authBench, type AuthBench, loginInput } from '../support/auth-bench.js';
import { requestWith } from '../support/session/session-bench.js';

const DEMO = { username: 'demo', password: 'demo' };

let platform: EmbeddedPlatform;
let bench: AuthBench;
let auth: AuthResolver;

beforeEach(async () => {
  platform = await startEmbeddedPlatform();
  await startBench();
});
afterEach(async () => {
  await bench.close();
  await platform.close();
});

async function startBench(environment: Record<string, string> = {}): Promise<void> {
  bench = await authBench(platform.baseUrl, environment);
  auth = new AuthResolver(bench.auth);
}

async function handleOf(): Promise<string> {
  return (await auth.login(requestWith(), loginInput(DEMO))).handle ?? '';
}

const identityToken = (handle?: string): ReturnType<IdentityTokenResolver['identityToken']> =>
  new IdentityTokenResolver(bench.sessions, bench.settings, bench.observation).identityToken(
    requestWith(handle),
  );

const paths = (): string[] => platform.calls.map(({ path }) => path);

describe('a page of another site', () => {
  const fromAnotherSite = { ...requestWith(), crossSite: true };
  const refusal = { code: 'FORBIDDEN', reason: 'CROSS_SITE_COOKIE' };

  it('cannot start a session by cookie, which would never be sent, and the platform is not asked', () => {
    const cookie = { transport: SessionTransport.COOKIE };

    expect(() => auth.login(fromAnotherSite, loginInput({ ...DEMO, ...cookie }))).toThrow(
      expect.objectContaining(refusal),
    );
    expect(() => auth.delegate(fromAnotherSite, { identityToken: 'token', ...cookie })).toThrow(
      expect.objectContaining(refusal),
    );

    expect(paths()).toEqual([]);
  });

  it('can start one whose handle it sends itself', async () => {
    expect((await auth.login(fromAnotherSite, loginInput(DEMO))).handle).toBeDefined();
  });

  it('differs from a page of this site, which can start one by cookie', async () => {
    const context = { ...requestWith(), crossSite: false };

    await auth.login(context, loginInput({ ...DEMO, transport: SessionTransport.COOKIE }));

    expect(context).toMatchObject({ cookie: { seconds: expect.any(Number) } });
  });
});

describe('a session', () => {
  it('is extended on the platform, and lives here as long as before', async () => {
    const { handle, expiresAt } = await auth.login(requestWith(), loginInput(DEMO));

    expect(await auth.extend(requestWith(handle))).toEqual({ expiresAt });

    expect(platform.calls.at(-1)).toMatchObject({ method: 'PUT', path: 'sessions' });
  });

  it('ends, and the others of its account stay', async () => {
    const [first, second] = [await handleOf(), await handleOf()];
    const isOpen = (handle: string): Promise<boolean> => bench.sessions.isOpen(requestWith(handle));

    expect(await auth.logout(requestWith(first), false)).toEqual({
      loggedOut: true,
      platformLoggedOut: true,
    });

    expect([await isOpen(first), await isOpen(second)]).toEqual([false, true]);
  });
});

describe('an identity token', () => {
  beforeEach(async () => {
    await bench.close();
    await startBench({ IDENTITY_TOKENS: 'true', IDENTITY_TOKEN_SECONDS: '90' });
  });

  it('starts another session, and expires when the settings say', async () => {
    const handle = await handleOf();
    const before = Date.now();

    const { token, expiresAt } = await identityToken(handle);
    const joined = await auth.delegate(requestWith(), {
      identityToken: token,
      transport: SessionTransport.BEARER,
    });

    expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 90_000);
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 90_000);
    expect(joined.handle).not.toBe(handle);
    expect(await auth.extend(requestWith(joined.handle))).toMatchObject({ expiresAt: expect.any(Date) });
  });

  it('is reported with the session that it is of, and so is the session that it starts', async () => {
    const handle = await handleOf();
    const { token } = await identityToken(handle);
    await auth.delegate(requestWith(), { identityToken: token, transport: SessionTransport.BEARER });

    const [login, minted, joined] = bench.events;
    expect(minted).toEqual({ kind: 'identity_token', storeKey: login?.storeKey });
    expect(joined).toMatchObject({ kind: 'delegate', storeKey: expect.any(String) });
    expect(joined?.storeKey).not.toBe(login?.storeKey);
  });

  it('is refused without a session, and that is reported', async () => {
    const refusal = { kind: 'no-session' };
    await expect(identityToken()).rejects.toMatchObject(refusal);
    expect(bench.events).toMatchObject([{ kind: 'identity_token', error: refusal }]);
  });

  it('is refused where the operator has not allowed them, and the platform is not asked', async () => {
    await bench.close();
    await startBench();
    const refusal = { code: 'FORBIDDEN', reason: 'IDENTITY_TOKENS_OFF' };

    await expect(identityToken(await handleOf())).rejects.toMatchObject(refusal);

    expect(paths()).toEqual(['auth/login']);
    expect(bench.events.at(-1)).toMatchObject({ kind: 'identity_token', error: refusal });
  });
});
