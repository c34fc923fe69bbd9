import { describe, expect, it, vi } from 'vitest';
import {
  AuthenticatedPlatformSession,
  LoginFailedError,
  MissingCredentialError,
  PlatformError,
  SessionError,
  withPlatformSession,
  type AuthenticatedSessionOptions,
  PlatformClient,
  type ManagedSessionOptions,
  type PlatformClientOptions,
  type RequestOptions,
} from '../../src/client/index.js';
import { eventually } from '../support/eventually.js';
import { gate } from '../support/gate.js';
import { errorAnswer, loginAnswer } from '../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type Script,
  type ScriptedPlatform,
} from '../support/embedded-platform/scripted-platform.js';

const user = { username: 'user', password: 'password' };
const expired = errorAnswer(401, 'ERR009', 'The session has expired');

function platformWith(script: Script = {}): Promise<ScriptedPlatform> {
  return startScriptedPlatform({
    'POST auth/login': loginAnswer(),
    'POST auth/delegate': loginAnswer(),
    'POST auth/logout': { status: 204 },
    'PUT sessions': { status: 204 },
    'GET projects': { status: 200, body: [] },
    ...script,
  });
}

describe('a managed session', () => {
  it('is logged in while it is used and logged out afterwards', async () => {
    const platform = await platformWith();

    {
      await using session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, ...user });
      await session.getProjects();
    }

    expect(platform.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST auth/login',
      'GET projects',
      'POST auth/logout',
    ]);
  });

  it('resolves all five parameters when it is opened, not before', async () => {
    const platform = await platformWith();
    const resolved: string[] = [];
    const provider = (name: string, value: string) => () => {
      resolved.push(name);
      return Promise.resolve(value);
    };
    const options: AuthenticatedSessionOptions = {
      baseUrl: provider('baseUrl', platform.baseUrl),
      username: provider('username', 'u'),
      password: provider('password', 'p'),
      identityToken: provider('identityToken', 'i'),
      apiKey: provider('apiKey', 'k'),
    };
    expect(resolved).toEqual([]);

    await withPlatformSession(options, () => undefined);

    expect(resolved).toEqual(['baseUrl', 'username', 'password', 'identityToken', 'apiKey']);
  });

  it.each<[string, Partial<AuthenticatedSessionOptions>, string, object]>([
    [
      'the identity token before all else',
      { ...user, apiKey: 'k', identityToken: () => 'i' },
      'POST auth/delegate',
      { loginMode: -1, identityToken: 'i' },
    ],
    [
      'the API key before user name and password',
      { ...user, apiKey: () => 'k' },
      'POST auth/login',
      { username: 'k', loginMode: 4096, applicationType: 8 },
    ],
    [
      'user name and password',
      { ...user, applicationType: 35 },
      'POST auth/login',
      { ...user, loginMode: 1, applicationType: 35 },
    ],
    [
      'a user name alone',
      { username: 'u' },
      'POST auth/login',
      { username: 'u', loginMode: 4096, applicationType: 8 },
    ],
    [
      'nothing, anonymously, where null is as good as absent',
      { username: null, password: null, apiKey: null, identityToken: null, applicationType: null as never },
      'POST auth/login',
      { loginMode: 8, applicationType: 8 },
    ],
    [
      'user name and password in LDAP',
      { username: 'u', password: () => 'p', mode: 'ldap' as const },
      'POST auth/login',
      { username: 'u', password: 'p', loginMode: 16, applicationType: 8 },
    ],
    ['nothing, anonymously', {}, 'POST auth/login', { loginMode: 8, applicationType: 8 }],
  ])('logs in by %s', async (_name, credentials, route, body) => {
    const platform = await platformWith();

    await withPlatformSession({ baseUrl: platform.baseUrl, ...credentials }, () => undefined);

    expect(platform.count(route)).toBe(1);
    expect(JSON.parse(platform.requests[0]?.body ?? '')).toEqual(body);
  });

  it.each<[string, Partial<AuthenticatedSessionOptions>]>([
    ['password', { username: 'u', password: () => undefined as unknown as string }],
    ['password', { username: 'u', password: '' }],
    ['apiKey', { apiKey: () => Promise.resolve('') }],
    ['identityToken', { identityToken: () => null as unknown as string }],
    ['username', { ...user, username: () => '', apiKey: 'k' }],
    ['username', { password: 'p' }],
  ])('is rejected before any request when %s resolves to nothing', async (name, credentials) => {
    const platform = await platformWith();

    const opening = AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, ...credentials });

    await expect(opening).rejects.toThrow(MissingCredentialError);
    await expect(opening).rejects.toThrow(name);
    expect(platform.connections).toBe(0);
  });

  it('rejects an unknown option by name, and accepts a URL object', async () => {
    const platform = await platformWith();
    const baseUrl = new URL(platform.baseUrl);
    const mistyped = { baseUrl, keepalive: 5 } as AuthenticatedSessionOptions;

    await expect(AuthenticatedPlatformSession.open(mistyped)).rejects.toThrow('keepalive');
    expect(platform.connections).toBe(0);
    await expect(withPlatformSession({ baseUrl }, (session) => session.hasSession())).resolves.toBe(true);
  });

  it.each([
    ['relogn', 'relogin'],
    ['keepAliveSecond', 'keepAliveSeconds'],
    ['pasword', 'password'],
    ['queueTimeout', 'queueTimeoutMs'],
    ['base_url', 'baseUrl'],
  ])(
    'says of the unknown option %s that %s may be meant, before any credential is asked for',
    async (name, near) => {
      const { baseUrl } = await platformWith();
      const apiKey = vi.fn(() => 'k');
      const options = { baseUrl, apiKey, [name]: 5 };

      await expect(AuthenticatedPlatformSession.open(options)).rejects.toThrow(`${name}: unknown option; it`);
      await expect(AuthenticatedPlatformSession.open(options)).rejects.toThrow(`do you mean ${near}?`);
      expect(apiKey).not.toHaveBeenCalled();
    },
  );

  it('passes on what a provider throws', async () => {
    const platform = await platformWith();
    const apiKey = () => Promise.reject(new Error('the store is closed'));

    await expect(AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, apiKey })).rejects.toThrow(
      'the store is closed',
    );
    expect(platform.connections).toBe(0);
  });

  it('throws the error of its work and ends the session, even when the logout fails', async () => {
    const platform = await platformWith({ 'POST auth/logout': errorAnswer(500, 'ERR001') });
    const failures: unknown[] = [];
    const options = { baseUrl: platform.baseUrl, onLogoutFailure: (error: unknown) => failures.push(error) };

    const work = withPlatformSession(options, () => {
      throw new RangeError('of the work');
    });

    await expect(work).rejects.toThrow(RangeError);
    expect(platform.count('POST auth/logout')).toBe(1);
    expect(failures).toEqual([expect.any(PlatformError)]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('of the observer');
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the observer'))],
  ])(
    'throws the error of its work, and closes its sockets, when whoever is told of the logout %s',
    async (_name, tell) => {
      const platform = await platformWith({ 'POST auth/logout': errorAnswer(500, 'ERR001') });

      const work = withPlatformSession({ baseUrl: platform.baseUrl, onLogoutFailure: tell }, () => {
        throw new RangeError('of the work');
      });

      await expect(work).rejects.toThrow(RangeError);
      await eventually(() => platform.openConnections === 0);
    },
  );

  it('also throws the error of its work from `await using`', async () => {
    const platform = await platformWith({ 'POST auth/logout': errorAnswer(500, 'ERR001') });
    const work = async () => {
      await using _session = await AuthenticatedPlatformSession.open({
        baseUrl: platform.baseUrl,
        onLogoutFailure: () => undefined,
      });
      throw new RangeError('of the work');
    };

    await expect(work()).rejects.toThrow(RangeError);
  });

  it('warns about a failed logout when there is no callback for it', async () => {
    const platform = await platformWith({
      'POST auth/logout': errorAnswer(500, 'ERR001', 'No logout today'),
    });
    const warnings: unknown[] = [];
    const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(warning));

    await withPlatformSession({ baseUrl: platform.baseUrl }, () => undefined);
    spy.mockRestore();

    expect(warnings).toEqual([expect.stringContaining('No logout today')]);
  });

  it('treats a session that the platform has ended as logged out', async () => {
    const platform = await platformWith({ 'POST auth/logout': expired });
    const failures: unknown[] = [];

    await withPlatformSession(
      { baseUrl: platform.baseUrl, onLogoutFailure: (error) => failures.push(error) },
      () => undefined,
    );

    expect(failures).toEqual([]);
  });

  it('stays logged in at the platform when logoutOnExit is false', async () => {
    const platform = await platformWith();

    const kept = await withPlatformSession({ baseUrl: platform.baseUrl, logoutOnExit: false }, (session) =>
      session.toDict(),
    );

    expect(platform.count('POST auth/logout')).toBe(0);
    expect(kept.headers).toEqual({ 'X-SVC-AuthToken': 'token-1' });
  });

  it('does not log out when the login failed or its work already logged out', async () => {
    const refused = await platformWith({ 'POST auth/login': errorAnswer(401, 'ERR003') });
    const platform = await platformWith();

    await expect(withPlatformSession({ baseUrl: refused.baseUrl }, () => undefined)).rejects.toThrow(
      LoginFailedError,
    );
    await withPlatformSession({ baseUrl: platform.baseUrl }, (session) => session.logout());

    expect(refused.count('POST auth/logout')).toBe(0);
    expect(platform.count('POST auth/logout')).toBe(1);
  });
});

describe('keep-alive', () => {
  it('extends the session at its interval until the session is closed', async () => {
    const platform = await platformWith();
    const session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      keepAliveSeconds: 0.01,
    });

    await eventually(() => platform.count('PUT sessions') >= 3);
    await session.close();
    const prolonged = platform.count('PUT sessions');
    await new Promise((resolve) => setTimeout(resolve, 40));

    expect(platform.count('PUT sessions')).toBe(prolonged);
  });

  it('continues after a transient failure, and stops when the session is invalid', async () => {
    const platform = await platformWith({
      'PUT sessions': [errorAnswer(500, 'ERR002'), { status: 204 }, expired],
    });
    await using _session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      keepAliveSeconds: 0.005,
    });

    await eventually(() => platform.count('PUT sessions') === 3);
    await new Promise((resolve) => setTimeout(resolve, 40));

    expect(platform.count('PUT sessions')).toBe(3);
  });

  it('restarts with a login after the session ended, and never runs twice', async () => {
    const platform = await platformWith();
    const session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      keepAliveSeconds: 0.01,
    });
    await session.logout();
    // An extension that was in flight at the logout may still arrive.
    await new Promise((resolve) => setTimeout(resolve, 40));
    const afterLogout = platform.count('PUT sessions');
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(platform.count('PUT sessions')).toBe(afterLogout);

    await session.login();
    await eventually(() => platform.count('PUT sessions') >= afterLogout + 3);
    await session.close();

    const prolonged = platform.count('PUT sessions');
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(platform.count('PUT sessions')).toBe(prolonged);
  });

  it.each([0, -1, NaN, Infinity])(
    'of %d seconds is rejected before any request',
    async (keepAliveSeconds) => {
      const platform = await platformWith();

      await expect(
        AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, keepAliveSeconds }),
      ).rejects.toThrow('keepAliveSeconds');
      expect(platform.connections).toBe(0);
    },
  );
});

describe('relogin', () => {
  /** Knows one valid token at a time; `expire` makes it invalid. */
  async function expiringPlatform(script: Script = {}) {
    let valid = 0;
    let isExpired = false;
    const platform = await platformWith({
      'POST auth/login': (_request, response) => {
        valid += 1;
        isExpired = false;
        response.writeHead(204, { 'X-SVC-AuthToken': `token-${valid}` }).end();
      },
      'GET projects': (request, response) => {
        const isGood = !isExpired && request.headers['x-svc-authtoken'] === `token-${valid}`;
        response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
        response.end(isGood ? '[{"id":"A","name":"Sales"}]' : '{"code":"ERR009","message":"expired"}');
      },
      ...script,
    });
    return { platform, expire: () => (isExpired = true) };
  }

  it('logs in again once with freshly resolved credentials, and repeats the call', async () => {
    const { platform, expire } = await expiringPlatform();
    const passwords = ['old', 'new'];
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      username: 'u',
      password: () => passwords.shift() ?? '',
      relogin: true,
    });
    await session.loadProjects();
    expire();

    await expect(session.getProjects()).resolves.toHaveLength(1);

    const logins = platform.requests.filter(({ path }) => path === 'auth/login');
    expect(logins.map(({ body }) => (JSON.parse(body) as { password: string }).password)).toEqual([
      'old',
      'new',
    ]);
    expect(session.getProjectId('Sales')).toBe('A');
  });

  it('makes one login for ten calls that find the session invalid at the same time', async () => {
    const { platform, expire } = await expiringPlatform();
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
    });
    expire();

    await Promise.all(Array.from({ length: 10 }, () => session.getProjects()));

    expect(platform.count('POST auth/login')).toBe(2);
  });

  it('gives up after one new login', async () => {
    const platform = await platformWith({ 'GET projects': expired });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
    });

    await expect(session.getProjects()).rejects.toThrow(SessionError);

    expect(platform.count('POST auth/login')).toBe(2);
    expect(platform.count('GET projects')).toBe(2);
  });

  it.each<[string, string, RequestOptions]>([
    ['a path that leads to auth endpoints on a way round', 'x/../auth/token', {}],
    ['a path to auth endpoints with a `/` before', '/auth/token', {}],
    ['a call that sent no token', 'status', { includeAuth: false }],
  ])('is not tried for %s', async (_name, path, options) => {
    const platform = await platformWith({ '*': expired });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
    });

    await expect(session.request('GET', path, options)).rejects.toThrow(SessionError);

    expect(platform.count('POST auth/login')).toBe(1);
    expect(platform.requests).toHaveLength(2);
  });

  it('is not tried for auth endpoints, nor when it is off', async () => {
    const platform = await platformWith({
      'POST auth/logout': expired,
      '*': expired,
      'GET projects': expired,
    });
    await using on = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, relogin: true });
    await using off = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl });

    await expect(on.logout()).rejects.toThrow(SessionError);
    await expect(on.request('POST', `${platform.baseUrl}auth/identityToken`)).rejects.toThrow(SessionError);
    await expect(off.getProjects()).rejects.toThrow(SessionError);

    expect(platform.count('POST auth/login')).toBe(2);
  });

  it('does not repeat rejected credentials', async () => {
    const platform = await platformWith({
      'POST auth/login': [loginAnswer(), errorAnswer(401, 'ERR003')],
      'GET projects': expired,
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
      onLogoutFailure: () => undefined,
    });

    await expect(session.getProjects()).rejects.toThrow(LoginFailedError);
    await expect(session.getProjects()).rejects.toThrow(SessionError);

    expect(platform.count('POST auth/login')).toBe(2);
  });

  it('does not bring back a session that was ended during the login', async () => {
    const held = gate();
    const platform = await platformWith({
      'POST auth/login': [
        loginAnswer('token-1'),
        async (_request, response) => {
          await held.passed;
          response.writeHead(204, { 'X-SVC-AuthToken': 'token-2' }).end();
        },
      ],
      'GET projects': expired,
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
    });

    const reading = session.getProjects();
    await eventually(() => platform.count('POST auth/login') === 2);
    session.destroyAuthToken();
    held.open();

    await expect(reading).rejects.toThrow(SessionError);
    expect(session.hasSession()).toBe(false);
    expect(platform.requests.at(-1)).toMatchObject({
      path: 'auth/logout',
      headers: { 'x-svc-authtoken': 'token-2' },
    });
  });

  it("neither repeats one user's call in another user's session, nor logs that user in", async () => {
    const held = gate();
    const platform = await platformWith({
      'GET projects': [
        async (_request, response) => {
          await held.passed;
          response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"ERR009"}');
        },
        expired,
      ],
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
    });

    const reading = expect(session.getProjects()).rejects.toThrow(SessionError);
    await eventually(() => platform.count('GET projects') === 1);
    await session.login({ username: 'another', password: 'password' });
    held.open();
    await reading;
    await expect(session.getProjects()).rejects.toThrow(SessionError);

    expect(platform.count('GET projects')).toBe(2);
    expect(platform.count('POST auth/login')).toBe(2);
  });

  it('does not replace a login made during the relogin', async () => {
    const held = gate();
    const platform = await platformWith({
      'POST auth/login': [
        loginAnswer('first'),
        async (_request, response) => {
          await held.passed;
          response.writeHead(204, { 'X-SVC-AuthToken': 'late' }).end();
        },
        loginAnswer('another'),
      ],
      'GET projects': expired,
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      relogin: true,
    });

    const reading = expect(session.getProjects()).rejects.toThrow(SessionError);
    await eventually(() => platform.count('POST auth/login') === 2);
    await session.login({ username: 'another', password: 'password' });
    held.open();
    await reading;

    expect(session.toDict().headers).toHaveProperty('X-SVC-AuthToken', 'another');
    expect(platform.requests.at(-1)).toMatchObject({
      path: 'auth/logout',
      headers: { 'x-svc-authtoken': 'late' },
    });
  });

  it('is awaited by close, which then logs out the new session', async () => {
    const held = gate();
    const platform = await platformWith({
      'POST auth/login': [
        loginAnswer('token-1'),
        async (_request, response) => {
          await held.passed;
          response.writeHead(204, { 'X-SVC-AuthToken': 'token-2' }).end();
        },
      ],
      'GET projects': [expired, { status: 200, body: [] }],
    });
    const session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, relogin: true });

    const reading = session.getProjects().catch(() => undefined);
    await eventually(() => platform.count('POST auth/login') === 2);
    const closing = session.close();
    held.open();
    await Promise.all([reading, closing]);

    const logout = platform.requests.find(({ path }) => path === 'auth/logout');
    expect(logout?.headers['x-svc-authtoken']).toBe('token-2');
  });
});

describe('a managed session on a shared client', () => {
  const open = (platform: ScriptedPlatform, options: PlatformClientOptions = { baseUrl: platform.baseUrl }) =>
    new PlatformClient(options);

  it('logs in and out, and leaves the client open', async () => {
    const platform = await platformWith();
    await using client = open(platform);

    const session = await client.openManagedSession(user);
    await session.getProjects();
    await session.close();

    await using second = await AuthenticatedPlatformSession.open({ client, ...user });
    await expect(second.getProjects()).resolves.toEqual([]);
    expect(platform.count('POST auth/logout')).toBe(1);
  });

  it('continues from a snapshot without a login, and logs in again when that has expired', async () => {
    const platform = await platformWith({
      'GET projects': [{ status: 200, body: [] }, expired, { status: 200, body: [] }],
    });
    await using client = open(platform);
    const first = client.openSession();
    await first.login(user);
    const asked: string[] = [];

    const session = await client.openManagedSession({
      snapshot: first.json(),
      username: 'user',
      password: () => {
        asked.push('password');
        return 'password';
      },
      relogin: true,
      logoutOnExit: false,
    });
    await session.getProjects();
    expect([platform.count('POST auth/login'), asked]).toEqual([1, []]);
    const { revision } = session;
    await session.getProjects();

    expect([platform.count('POST auth/login'), asked]).toEqual([2, ['password']]);
    expect(session.revision).not.toBe(revision);
    await session.close();
    expect(platform.count('POST auth/logout')).toBe(0);
  });

  it('logs in when the snapshot holds no token, and rejects one of another platform', async () => {
    const platform = await platformWith();
    await using client = open(platform);
    const empty = client.openSession().json();
    const foreign = JSON.stringify({ base_url: 'http://localhost/', cookies: [], headers: {} });

    await using session = await client.openManagedSession({ snapshot: empty, ...user });

    expect(session.hasSession()).toBe(true);
    await expect(client.openManagedSession({ snapshot: foreign })).rejects.toThrow(SessionError);
    const mistyped = { relogon: true } as ManagedSessionOptions;
    await expect(client.openManagedSession(mistyped)).rejects.toThrow('do you mean relogin?');
  });

  it('reports a provider that fails at a new login as one of its own errors', async () => {
    const platform = await platformWith({ 'GET projects': expired });
    await using client = open(platform);
    const failure = new Error('the store is closed');
    const answers = ['password'];
    const password = () => {
      const next = answers.pop();
      if (next === undefined) throw failure;
      return next;
    };
    await using session = await client.openManagedSession({ username: 'user', password, relogin: true });

    await expect(session.getProjects()).rejects.toMatchObject({ kind: 'missing-credential', cause: failure });
  });
});
