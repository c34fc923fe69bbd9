import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  isSessionExpired,
  type PlatformError,
  SessionError,
  type RequestMethod,
  type RequestOptions,
} from '../../../src/client/index.js';
import { type PlatformClientOptions } from '../../../src/client/connection/client-options.js';
import { type PlatformResponse } from '../../../src/client/connection/platform-response.js';
import { type Exchange, PlatformConnection } from '../../../src/client/connection/platform-connection.js';
import { loginRequest } from '../../../src/client/session/login.js';
import { SessionCore } from '../../../src/client/session/session-core.js';
import { errorAnswer, loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import {
  startScriptedPlatform,
  type Script,
  type ScriptedAnswer,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/gate.js';

/** A connection that notes what it is asked for. */
class NotingConnection extends PlatformConnection {
  readonly asked: Exchange[] = [];

  override exchange(exchange: Exchange): Promise<PlatformResponse> {
    this.asked.push(exchange);
    return super.exchange(exchange);
  }
}

const connections = new Set<PlatformConnection>();
afterEach(async () => {
  await Promise.all([...connections].map((connection) => connection.close()));
  connections.clear();
});

interface Started {
  readonly core: SessionCore;
  readonly connection: NotingConnection;
  readonly platform: ScriptedPlatform;
}

/** A session that holds a token, on a connection that others may share. */
async function start(script: Script, options: Partial<PlatformClientOptions> = {}): Promise<Started> {
  const platform = await startScriptedPlatform(script);
  const connection = new NotingConnection({ baseUrl: platform.baseUrl, timeoutMs: 60_000, ...options });
  connections.add(connection);
  const core = new SessionCore(connection);
  hold('the-first-token')(core);
  return { core, connection, platform };
}

/** Puts another state in place of the one of a session. */
const hold =
  (token: string | undefined, isSameSession = false) =>
  (core: SessionCore): void => {
    const headers: Record<string, string> = token === undefined ? {} : { 'X-SVC-AuthToken': token };
    core.restore({ base_url: core.baseUrl.href, cookies: {}, headers }, { isSameSession });
  };

const tokenOf = (core: SessionCore): string | undefined => core.state.token;

const call = (
  core: SessionCore,
  method: RequestMethod,
  path: string,
  options: RequestOptions = {},
): Promise<PlatformResponse> => core.send(core.readRequest(method, path, options));

const failureOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'succeeded',
    (error: unknown) => error,
  );

/** A login as `isSameUser` or as somebody. */
const logIn = (core: SessionCore, username: string, isSameUser = false): Promise<void> =>
  core.logIn(loginRequest({ username, password: 'the-password' }, 8), {}, isSameUser);

describe('a call of a session', () => {
  const everything: Script = { '*': { status: 204 } };

  it.each<[RequestMethod, string, Pick<Exchange, 'circuit' | 'isLogout' | 'mayRetry'>]>([
    ['GET', 'reports', { circuit: 'data', isLogout: false, mayRetry: true }],
    ['HEAD', 'reports', { circuit: 'data', isLogout: false, mayRetry: true }],
    ['PUT', 'reports', { circuit: 'data', isLogout: false, mayRetry: false }],
    ['POST', 'auth/identityToken', { circuit: 'auth', isLogout: false, mayRetry: false }],
    ['POST', 'auth/logout', { circuit: 'auth', isLogout: true, mayRetry: false }],
  ])('is made by its kind: %s %s', async (method, path, expected) => {
    const { core, connection } = await start(everything);

    await call(core, method, path);

    expect(connection.asked).toMatchObject([{ path, mayFollow: true, ...expected }]);
  });

  it('follows no redirect where none is asked for', async () => {
    const { core, connection } = await start(everything);

    await core.send({ ...core.readRequest('GET', 'reports', {}), maxRedirects: -1 });
    await core.send({ ...core.readRequest('GET', 'reports', {}), maxRedirects: 1 });

    expect(connection.asked.map(({ mayFollow }) => mayFollow)).toEqual([false, true]);
  });

  it('is that of its session by the token, of its object without one, or of whom the caller names', async () => {
    const { core, connection } = await start(everything);
    const [one, other] = [new SessionCore(connection), new SessionCore(connection)];

    await call(core, 'GET', 'reports');
    await call(core, 'GET', 'reports', { party: ['alice', 'one'] });
    for (const empty of [one, one, other]) await call(empty, 'GET', 'reports', { includeAuth: false });

    const [held, named, ...without] = connection.asked.map(({ party }) => party);
    expect([held, named]).toEqual([['the-first-token'], ['alice', 'one']]);
    expect(without[0]).toEqual([expect.stringMatching(/^session /)]);
    expect(without[1]).toEqual(without[0]);
    expect(without[2]).not.toEqual(without[0]);
  });

  it('has the limits of the client unless it has its own, and the signal of its caller', async () => {
    const { core, connection } = await start(everything, { timeoutMs: 7000, queueTimeoutMs: 8000 });
    const { signal } = new AbortController();

    await call(core, 'GET', 'reports', { signal: null });
    await call(core, 'GET', 'reports', { timeoutMs: 500, queueTimeoutMs: 600, maxResponseBytes: 70, signal });

    expect(connection.asked).toMatchObject([
      { limits: { timeoutMs: 7000, queueTimeoutMs: 8000 }, maxResponseBytes: undefined, signal: undefined },
      { limits: { timeoutMs: 500, queueTimeoutMs: 600 }, maxResponseBytes: 70 },
    ]);
    expect(connection.asked[1]?.signal).toBe(signal);
  });

  it('keeps the cookie of a redirect that it follows', async () => {
    const { core, platform } = await start({
      'GET old': {
        status: 302,
        headers: { location: 'new', 'Set-Cookie': 'way=1; Path=/' },
      },
      'GET new': { status: 204 },
    });

    await call(core, 'GET', 'old');

    expect(platform.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'way=1']);
    expect(core.snapshot().cookies).toMatchObject([{ name: 'way' }]);
  });

  it('keeps what an answer brings that is a success, also one below 400 that the caller accepts', async () => {
    const kept: (string | undefined)[] = [];
    for (const status of [200, 299, 304, 399, 400, 404]) {
      const { core } = await start({ 'GET reports': { status, headers: { 'X-SVC-AuthToken': 'renewed' } } });
      await call(core, 'GET', 'reports', { acceptStatus: () => true });
      kept.push(tokenOf(core));
    }

    expect(kept).toEqual([
      ...['renewed', 'renewed', 'renewed', 'renewed'],
      ...['the-first-token', 'the-first-token'],
    ]);
  });

  it('keeps nothing of an error payload, whatever its status', async () => {
    const { core } = await start({
      'GET reports': {
        status: 200,
        headers: { 'X-SVC-AuthToken': 'renewed' },
        body: { code: 'ERR001', message: 'no' },
      },
    });

    expect(await failureOf(call(core, 'GET', 'reports'))).toMatchObject({ code: 'ERR001' });
    const opened = await core.open(core.readRequest('GET', 'reports', { acceptStatus: () => true }));

    expect(opened.status).toBe(200);
    expect(tokenOf(core)).toBe('the-first-token');
  });

  it('hides in an error what it sent and what the session holds by then', async () => {
    const answered = gate();
    const { core, platform } = await start({
      'GET reports': async (_request, response) => {
        await answered.passed;
        const message = 'the-first-token, the-second-token, the-total-count and the-cookie are no good';
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'ERR001', message }));
      },
    });

    const failure = failureOf(call(core, 'GET', 'reports'));
    await eventually(() => platform.count('GET reports') === 1);
    core.restore(
      {
        base_url: core.baseUrl.href,
        cookies: { s: 'the-cookie' },
        headers: { 'X-SVC-AuthToken': 'the-second-token', 'X-SVC-Total-Count': 'the-total-count' },
      },
      {},
    );
    answered.open();

    const { message } = (await failure) as PlatformError;
    expect(message).toMatch(/are no good$/);
    expect(message).not.toMatch(/the-(?:first|second|total|cookie)/);
  });

  it('that is refused as one of an expired session gives back its connection, although more is to come', async () => {
    const { core, platform } = await start(
      {
        'GET reports': (_request, response) => {
          response.writeHead(401, { 'content-type': 'application/json' });
          response.write(`{"code":"ERR009"}${' '.repeat(100_000)}`);
        },
        'GET sessions': { status: 204 },
      },
      { maxCallsPerSession: 1 },
    );
    const opened = core.open(core.readRequest('GET', 'reports', { acceptStatus: () => true }));

    expect(await failureOf(opened)).toMatchObject({ code: 'ERR009' });

    await call(core, 'GET', 'sessions');
    expect(platform.count('GET sessions')).toBe(1);
  });
});

describe('a call that the platform rejects after the session was renewed', () => {
  /** What becomes of a call during which this happens to the session, and which is answered so, in turn. */
  async function outcome(
    during: (core: SessionCore) => void,
    answers: readonly [status: number, code?: string][],
    options: RequestOptions = {},
  ): Promise<unknown> {
    let sent = 0;
    const { core } = await start({
      'POST reports': (_request, response) => {
        if (sent === 0) during(core);
        const [status, code] = answers[sent] ?? [500];
        sent += 1;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code }));
      },
    });
    const failure = await failureOf(call(core, 'POST', 'reports', options));
    expect(sent).toBe(answers.length);
    return failure;
  }
  const renewed = hold('renewed', true);
  const expired: [number, string] = [401, 'ERR009'];

  it('is sent again, once', async () => {
    expect(await outcome(renewed, [expired, [200]])).toBe('succeeded');
    expect(await outcome(renewed, [expired, expired])).toMatchObject({ code: 'ERR009' });
  });

  it('stays rejected for any other reason', async () => {
    expect(await outcome(renewed, [[404, 'ERR004']])).toMatchObject({ code: 'ERR004' });
  });

  it('stays rejected where it sent no token, or its body can be read only once', async () => {
    const body = new Blob(['rows']).stream();

    expect(await outcome(renewed, [expired], { includeAuth: false })).toMatchObject({ code: 'ERR009' });
    expect(await outcome(renewed, [expired], { body })).toMatchObject({ code: 'ERR009' });
    expect(await outcome(renewed, [expired, [200]], { body: 'rows' })).toBe('succeeded');
  });

  it.each<[string, (core: SessionCore) => void]>([
    ['is that of another', hold('of-another')],
    ['has no token any more', hold(undefined, true)],
    ['is the same', () => undefined],
  ])('stays rejected where the session %s', async (_what, during) => {
    expect(await outcome(during, [expired])).toMatchObject({ constructor: SessionError, code: 'ERR009' });
  });
});

describe('a login of a session', () => {
  it('is no logout, is not repeated and follows nothing; it counts for its account, whose name it does not tell', async () => {
    const { core, connection } = await start({ 'POST auth/login': loginAnswer() });

    await logIn(core, 'alice');
    await core.logIn(loginRequest({}, 8));
    await core.logIn(loginRequest({}, 8), { party: ['bob'] });

    const account = createHash('sha256').update('alice').digest('hex');
    const [alice, anonymous, named] = connection.asked;
    expect(alice).toMatchObject({
      ...{ circuit: 'auth', isLogout: false, mayFollow: false, mayRetry: false },
      party: [account],
    });
    expect(anonymous?.party).toEqual([expect.stringMatching(/^session /)]);
    expect(named?.party).toEqual(['bob']);
  });

  it('that is refused is no sign that the session has expired, and does not tell the password', async () => {
    const { core } = await start({
      'POST auth/login': errorAnswer(401, 'ERR003', 'the-password of the-first-token is wrong'),
    });

    const error = await failureOf(logIn(core, 'alice'));

    expect(error).toMatchObject({ kind: 'login-failed', code: 'ERR003' });
    expect(isSessionExpired(error)).toBe(false);
    expect((error as Error).message).not.toMatch(/the-password|the-first-token/);
  });

  it.each<[string, boolean, (core: SessionCore) => unknown, string | undefined]>([
    ['the session was restored', false, hold('restored'), 'restored'],
    ['the object was closed', false, (core) => core.close(), 'the-first-token'],
    ['the same user logs in again, and another has done so', true, (core) => logIn(core, 'bob'), 'of-bob'],
  ])('is logged out again when meanwhile %s', async (_what, isSameUser, during, expected) => {
    const answered = gate();
    const late: ScriptedAnswer = async (_request, response) => {
      await answered.passed;
      response.writeHead(204, { 'X-SVC-AuthToken': 'late', 'Set-Cookie': 'node=late; Path=/' }).end();
    };
    const { core, platform } = await start({
      'POST auth/login': [late, loginAnswer('of-bob')],
      // What it says does not matter any more.
      'POST auth/logout': errorAnswer(500, 'ERR001'),
    });
    const login = failureOf(logIn(core, 'alice', isSameUser));
    await eventually(() => platform.count('POST auth/login') === 1);

    await during(core);
    answered.open();

    expect(await login).toMatchObject({ kind: 'session-replaced' });
    expect(tokenOf(core)).toBe(expected);
    expect(platform.requests.at(-1)).toMatchObject({
      path: 'auth/logout',
      headers: { 'x-svc-authtoken': 'late', cookie: 'node=late' },
    });
  });

  it('takes the place of another one by another user', async () => {
    const answered = gate();
    const { core, platform } = await start({
      'POST auth/login': [
        async (_request, response) => {
          await answered.passed;
          response.writeHead(204, { 'X-SVC-AuthToken': 'of-alice' }).end();
        },
        loginAnswer('of-bob'),
      ],
    });
    const login = logIn(core, 'alice');
    await eventually(() => platform.count('POST auth/login') === 1);
    await logIn(core, 'bob');
    answered.open();
    await login;

    expect(tokenOf(core)).toBe('of-alice');
  });
});

describe('closing the object of a session', () => {
  /** What becomes of a call in flight when the object is closed, and the platform answers then. */
  async function outcome(make: (started: Started) => SessionCore): Promise<unknown> {
    const answered = gate();
    const started = await start({
      'GET reports': async (_request, response) => {
        await answered.passed;
        response.writeHead(204).end();
      },
    });
    const core = make(started);
    const made = failureOf(call(core, 'GET', 'reports', { includeAuth: false }));
    await eventually(() => started.platform.count('GET reports') === 1);
    await core.close();
    answered.open();
    return made;
  }

  it('closes its connection only if that is its own', async () => {
    expect(await outcome(({ core }) => core)).toBe('succeeded');
    expect(await outcome(({ platform }) => SessionCore.connect(platform.baseUrl, {}))).toMatchObject({
      kind: 'client-closed',
    });
  });

  it('refuses a call that was read before', async () => {
    const { core, platform } = await start({});
    const request = core.readRequest('GET', 'reports', {});
    await core.close();

    await expect(core.send(request)).rejects.toMatchObject({ kind: 'session-closed' });
    await expect(core.open(request)).rejects.toMatchObject({ kind: 'session-closed' });
    expect(() => core.readRequest('GET', '../elsewhere', {})).toThrow('This session object is closed.');
    expect(platform.connections).toBe(0);
  });
});
