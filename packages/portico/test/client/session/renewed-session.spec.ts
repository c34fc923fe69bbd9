import { afterEach, describe, expect, it } from 'vitest';
import {
  AuthenticatedPlatformSession,
  ExecutionCancelledError,
  isSessionExpired,
  LoginFailedError,
  PlatformSession,
  SessionError,
} from '../../../src/client/index.js';
import { eventually } from '../../support/eventually.js';
import {
  type RenewingPlatform,
  startRenewingPlatform,
} from '../../support/embedded-platform/renewing-platform.js';

const USER = { username: 'alice', password: 'password' };
const ALICE = { id: 'alice', fullName: 'alice' };

describe.each(['token', 'cookie'] as const)('a session whose %s the platform renews', (renewal) => {
  const sessions: PlatformSession[] = [];
  const loggedIn = async (platform: RenewingPlatform): Promise<PlatformSession> => {
    const session = new PlatformSession(platform.baseUrl);
    sessions.push(session);
    await session.login(USER);
    return session;
  };
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });

  it('is asked again with the new one by calls that were rejected for the old one', async () => {
    const platform = await startRenewingPlatform(renewal);
    const session = await loggedIn(platform);
    // The worst order: the answer that renews it comes after the rejections.
    platform.renewNext(() => platform.rejections() >= 4);

    const reads = await Promise.all([
      session.getUserInfo(),
      session.getSessionInfo(),
      session.getProjects(),
      session.extendSession().then(({ status }) => status),
      session.getUserInfo(),
    ]);

    expect(reads).toMatchObject([ALICE, ALICE, [{ id: 'alice' }], 204, ALICE]);
    expect(platform.rejections()).toBe(4);
  });

  it('is logged out with the new one', async () => {
    const platform = await startRenewingPlatform(renewal);
    const session = await loggedIn(platform);
    platform.renewNext(() => platform.rejections() > 0);
    const read = session.getUserInfo();
    await eventually(() => platform.count('GET sessions/userInfo') === 1);

    await session.logout();

    expect(await read).toMatchObject(ALICE);
    expect(platform.openSessions()).toBe(0);
    expect(session.hasSession()).toBe(false);
  });

  it('is reported as expired after one call where nothing was renewed', async () => {
    const platform = await startRenewingPlatform(renewal);
    const session = await loggedIn(platform);
    platform.endSessions();

    await expect(session.getUserInfo()).rejects.toThrow(SessionError);

    expect(platform.rejections()).toBe(1);
  });

  it('is never asked again for another user', async () => {
    const platform = await startRenewingPlatform(renewal);
    const session = await loggedIn(platform);
    let isOther = false;
    platform.renewNext(() => isOther);
    const renewing = session.getUserInfo();
    await eventually(() => platform.count('GET sessions/userInfo') === 1);
    const rejected = session.getProjects().catch((error: unknown) => error);
    await eventually(() => platform.rejections() === 1);

    await session.login({ username: 'bob', password: 'password' });
    isOther = true;
    await renewing;

    expect(await rejected).toMatchObject({ kind: 'session-expired' });
    expect(platform.count('GET projects')).toBe(1);
  });

  it('lets a rejected call be aborted while it waits for the answer that may renew the session', async () => {
    const platform = await startRenewingPlatform(renewal);
    const session = await loggedIn(platform);
    let mayAnswer = false;
    platform.renewNext(() => mayAnswer);
    const renewing = session.getUserInfo();
    await eventually(() => platform.count('GET sessions/userInfo') === 1);
    const abort = new AbortController();
    const rejected = session.getProjects({ signal: abort.signal }).catch((error: unknown) => error);
    await eventually(() => platform.rejections() === 1);

    const cause = new Error('changed my mind');
    abort.abort(cause);

    expect(await rejected).toMatchObject({ constructor: ExecutionCancelledError, cause });
    mayAnswer = true;
    expect(await renewing).toMatchObject(ALICE);
  });

  it('logs in again for ERR003 as for ERR009, except at a login', async () => {
    const platform = await startRenewingPlatform(renewal, 'ERR003');
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      ...USER,
      relogin: true,
    });
    platform.endSessions();

    expect(await session.getUserInfo()).toMatchObject(ALICE);

    expect(platform.count('POST auth/login')).toBe(2);
  });

  it('tells by the error whether ERR003 concerns the session', async () => {
    const platform = await startRenewingPlatform(renewal, 'ERR003');
    const session = await loggedIn(platform);
    platform.endSessions();
    for (const call of [session.getUserInfo(), session.extendSession(), session.logout()]) {
      const error: unknown = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(LoginFailedError);
      expect(error).toMatchObject({ kind: 'login-failed', code: 'ERR003', concernsSession: true });
      expect(isSessionExpired(error)).toBe(true);
    }
    const refused: unknown = await session
      .request('POST', 'auth/delegate', { body: {} })
      .catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(LoginFailedError);
    expect(isSessionExpired(refused)).toBe(false);
  });
});
