import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  AuthenticatedPlatformSession,
  type AuthenticatedSessionOptions,
  ExecutionCancelledError,
  MissingCredentialError,
  PlatformClient,
  type SharedSessionOptions,
} from '../../src/client/index.js';
import { errorAnswer, loginAnswer } from '../support/embedded-platform/platform-answers.js';
import {
  type Script,
  type ScriptedAnswer,
  startScriptedPlatform,
} from '../support/embedded-platform/scripted-platform.js';
import { eventually } from '../support/eventually.js';
import { gate } from '../support/gate.js';

const expired = errorAnswer(401, 'ERR009', 'The session has expired');
const fine = { status: 200, body: [] };

/** A platform, and a session on it that logs in again when it has expired. */
async function opened(script: Script = {}, options: Partial<AuthenticatedSessionOptions> = {}) {
  const platform = await startScriptedPlatform({
    'POST auth/login': loginAnswer(),
    'POST auth/delegate': loginAnswer(),
    'POST auth/logout': { status: 204 },
    'PUT sessions': { status: 204 },
    'GET projects': fine,
    ...script,
  });
  const session = await AuthenticatedPlatformSession.open({
    baseUrl: platform.baseUrl,
    timeoutMs: 60_000,
    relogin: true,
    onLogoutFailure: () => undefined,
    ...options,
  });
  return { platform, session, logins: () => platform.count('POST auth/login') };
}

const failureOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'succeeded',
    (error: unknown) => error,
  );

describe('a managed session that has expired', () => {
  it('logs in again each time that it expires', async () => {
    const { session, logins } = await opened({ 'GET projects': [expired, fine, expired, fine] });
    await using _closed = session;

    await session.getProjects();
    await session.getProjects();

    expect(logins()).toBe(3);
  });

  it('tries a login again that failed because the platform was out of reach', async () => {
    const { session, logins } = await opened({
      'POST auth/login': [loginAnswer(), errorAnswer(500, 'ERR001'), loginAnswer('token-2')],
      'GET projects': [expired, expired, fine],
    });
    await using _closed = session;

    await expect(session.getProjects()).rejects.toMatchObject({ code: 'ERR001' });

    expect(await session.getProjects()).toEqual([]);
    expect(logins()).toBe(3);
  });

  it('sends no stream again, and logs in for none', async () => {
    const { session, logins } = await opened({ 'POST rows': expired });
    await using _closed = session;
    const body = new Blob(['rows']).stream();

    await expect(session.request('POST', 'rows', { body })).rejects.toMatchObject({ code: 'ERR009' });
    expect(logins()).toBe(1);

    await expect(session.request('POST', 'rows', { body: 'rows' })).rejects.toMatchObject({ code: 'ERR009' });
    expect(logins()).toBe(2);
  });

  it('logs in no more for a call that began before it had logged in again', async () => {
    const [renewed, answered] = [gate(), gate()];
    const late =
      (passed: Promise<void>, status: number, headers: Record<string, string>, body = ''): ScriptedAnswer =>
      async (_request, response) => {
        await passed;
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      };
    const { session, logins, platform } = await opened({
      'POST auth/login': [loginAnswer(), late(renewed.passed, 204, { 'X-SVC-AuthToken': 'token-2' })],
      'GET projects': [expired, fine],
      'GET slow': [late(answered.passed, 401, {}, '{"code":"ERR009"}'), expired, fine],
    });
    await using _closed = session;
    const first = session.getProjects();
    await eventually(() => logins() === 2);
    const second = session.request('GET', 'slow');
    await eventually(() => platform.count('GET slow') === 1);

    renewed.open();
    await first;
    answered.open();

    expect((await second).status).toBe(200);
    expect(logins()).toBe(2);
  });

  it('does not log in for the user who took its place, whose call says that it has expired', async () => {
    const asked: string[] = [];
    const { session, logins } = await opened(
      { 'GET projects': expired },
      { apiKey: () => `key ${asked.push('key')}` },
    );
    await using _closed = session;
    await session.login({ username: 'another', password: 'password' });

    await expect(session.getProjects()).rejects.toMatchObject({ code: 'ERR009' });

    expect([asked.length, logins()]).toEqual([1, 2]);
  });

  it('makes no login when it is ended while its credentials are loaded', async () => {
    const [asked, loaded] = [gate(), gate()];
    let isFirst = true;
    const { session, logins } = await opened(
      { 'GET projects': expired },
      {
        apiKey: async () => {
          if (isFirst) isFirst = false;
          else {
            asked.open();
            await loaded.passed;
          }
          return 'key';
        },
      },
    );
    await using _closed = session;
    const reading = failureOf(session.getProjects());
    await asked.passed;

    session.destroyAuthToken();
    loaded.open();

    expect(await reading).toMatchObject({ kind: 'session-replaced' });
    expect(logins()).toBe(1);
  });

  it('says so when it is ended in the moment of its new login', async () => {
    let end = (): void => undefined;
    const { session, platform } = await opened(
      {
        'POST auth/login': [loginAnswer(), loginAnswer('token-2', 'foreign=1; Domain=example.com')],
        'GET projects': expired,
      },
      {
        onUnusableCookie: () => {
          end();
        },
      },
    );
    await using _closed = session;
    end = () => {
      session.destroyAuthToken();
    };

    await expect(session.getProjects()).rejects.toMatchObject({ code: 'ERR009' });

    expect(platform.count('GET projects')).toBe(1);
  });

  it.each<[string, unknown, boolean]>([
    ['an error that passes', Object.assign(new Error('busy'), { retryable: true }), true],
    ['an error that stays', Object.assign(new Error('sealed'), { retryable: false }), false],
    ['an error that does not say', new Error('sealed'), false],
    ['nothing', undefined, false],
  ])(
    'fails with a credential that could not be loaded, and says whether that passes: %s',
    async (_what, cause, retryable) => {
      let isFirst = true;
      const { session } = await opened(
        { 'GET projects': expired },
        {
          apiKey: () => {
            if (!isFirst) throw cause;
            isFirst = false;
            return 'key';
          },
        },
      );
      await using _closed = session;

      const failure = await failureOf(session.getProjects());

      expect(failure).toMatchObject({ constructor: MissingCredentialError, retryable });
      expect((failure as Error).cause).toBe(cause);
    },
  );

  it('fails with the error of a provider that is one of the client', async () => {
    const canceled = new ExecutionCancelledError('The provider was canceled.');
    let isFirst = true;
    const { session } = await opened(
      { 'GET projects': expired },
      {
        apiKey: () => {
          if (!isFirst) throw canceled;
          isFirst = false;
          return 'key';
        },
      },
    );
    await using _closed = session;

    expect(await failureOf(session.getProjects())).toBe(canceled);
  });
});

describe('the keep-alive of a managed session', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const SECOND = { keepAliveSeconds: 1 };

  it('is one, however often the session is logged in', async () => {
    const { session } = await opened({}, SECOND);
    await session.login();
    await session.delegate('identity');

    expect(vi.getTimerCount()).toBe(1);
    await session.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops when there is no session any more, and begins anew with a delegated one', async () => {
    const { session, platform } = await opened({}, SECOND);
    await using _closed = session;
    session.destroyAuthToken();

    vi.advanceTimersByTime(1000);
    await eventually(() => vi.getTimerCount() === 0);
    await session.delegate('identity');
    vi.advanceTimersByTime(1000);
    await eventually(() => platform.count('PUT sessions') === 1);
  });

  it.each(['ERR009', 'ERR003'])('stops when the platform says by %s that it has expired', async (code) => {
    const { session } = await opened(
      { 'PUT sessions': errorAnswer(401, code) },
      { ...SECOND, relogin: false },
    );
    await using _closed = session;

    vi.advanceTimersByTime(1000);

    await eventually(() => vi.getTimerCount() === 0);
  });

  it('begins anew with the login that a call makes', async () => {
    const { session, platform } = await opened(
      { 'PUT sessions': [expired, expired, { status: 204 }], 'GET projects': [expired, fine] },
      SECOND,
    );
    await using _closed = session;
    vi.advanceTimersByTime(1000);
    await eventually(() => vi.getTimerCount() === 0);

    await session.getProjects();
    vi.advanceTimersByTime(1000);

    await eventually(() => platform.count('PUT sessions') === 3);
  });

  it('is over when the session is being closed, also if that logs in once more', async () => {
    const held = gate();
    const { session, logins } = await opened(
      {
        'POST auth/login': [
          loginAnswer(),
          async (_request, response) => {
            await held.passed;
            response.writeHead(204, { 'X-SVC-AuthToken': 'token-2' }).end();
          },
        ],
        'GET projects': [expired, fine],
      },
      SECOND,
    );
    const reading = session.getProjects();
    await eventually(() => logins() === 2);
    const closing = session.close();

    expect(vi.getTimerCount()).toBe(0);
    held.open();
    await reading;
    expect(vi.getTimerCount()).toBe(0);
    await closing;
  });
});

describe('closing a managed session', () => {
  it('logs in for no call any more', async () => {
    const [asked, answered, left] = [gate(), gate(), gate()];
    const { session, logins, platform } = await opened({
      'GET projects': async (_request, response) => {
        asked.open();
        await answered.passed;
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"ERR009"}');
      },
      'POST auth/logout': async (_request, response) => {
        await left.passed;
        response.writeHead(204).end();
      },
    });
    const reading = failureOf(session.getProjects());
    await asked.passed;
    const closing = session.close();
    await eventually(() => platform.count('POST auth/logout') === 1);

    answered.open();
    left.open();

    expect(await reading).toMatchObject({ code: 'ERR009' });
    await closing;
    expect(logins()).toBe(1);
  });

  it('leaves no token in the object, whatever the platform says', async () => {
    const { session } = await opened({ 'POST auth/logout': errorAnswer(500, 'ERR001') });

    await session.close();

    expect(session.hasSession()).toBe(false);
  });

  it('warns with a code of its own that the logout failed', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { session } = await opened(
      { 'POST auth/logout': errorAnswer(500, 'ERR001', 'No logout today') },
      { onLogoutFailure: undefined as never },
    );

    await session.close();

    expect(warn.mock.calls).toEqual([
      ['The logout at the end of a session failed: No logout today', { code: 'PORTICO_LOGOUT_FAILED' }],
    ]);
    warn.mockRestore();
  });
});

describe('a managed session on the connection of a client', () => {
  it('has the options of the client, and takes none of its own', async () => {
    const platform = await startScriptedPlatform({ '*': loginAnswer() });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl });
    const openWith = (more: object): Promise<unknown> =>
      failureOf(AuthenticatedPlatformSession.open({ client, ...more }));

    expect(await openWith({ timeoutMs: undefined })).toBe('succeeded');
    expect(await openWith({ maxRedirects: undefined, timeoutMs: 5 })).toEqual(
      new TypeError('timeoutMs: set it on the client.'),
    );
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['what opens something else', { openSession: () => ({}) }],
  ])('is on nothing else: %s', async (_what, client) => {
    const opening = AuthenticatedPlatformSession.open({ client } as unknown as SharedSessionOptions);

    await expect(opening).rejects.toThrow(new TypeError('client must be a PlatformClient.'));
  });
});
