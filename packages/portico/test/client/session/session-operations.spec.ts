import { describe, expect, it } from 'vitest';
import {
  AmbiguousProjectNameError,
  leftOutProjects,
  rawPayload,
  InvalidRequestError,
  PLATFORM_OPERATIONS,
  PlatformHttpError,
  SessionError,
  type CallOptions,
  type PlatformSession,
  type RequestOptions,
} from '../../../src/client/index.js';
import { isLoginPath } from '../../../src/client/connection/paths.js';
import { loggedIn, openSession, sessionWithToken } from '../../support/client/logged-in.js';
import { errorAnswer, loginAnswer } from '../../support/embedded-platform/platform-answers.js';
import { type Script, startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';

const OPERATIONS: [string, string, (session: PlatformSession, call?: CallOptions) => Promise<unknown>][] = [
  ['logout', 'POST auth/logout', (session, call) => session.logout(call)],
  ['postLogout', 'POST auth/logout', (session, call) => session.postLogout(call)],
  ['createIdentityToken', 'POST auth/identityToken', (session, call) => session.createIdentityToken(call)],
  ['putSessions', 'PUT sessions', (session, call) => session.putSessions(call)],
  ['extendSession', 'PUT sessions', (session, call) => session.extendSession(call)],
  ['getSessions', 'GET sessions', (session, call) => session.getSessions(call)],
  ['getSessionInfo', 'GET sessions', (session, call) => session.getSessionInfo(call)],
  ['getSessionsUserInfo', 'GET sessions/userInfo', (session, call) => session.getSessionsUserInfo(call)],
  ['getUserInfo', 'GET sessions/userInfo', (session, call) => session.getUserInfo(call)],
  ['getProjects', 'GET projects', (session, call) => session.getProjects(call)],
  ['loadProjects', 'GET projects', (session, call) => session.loadProjects(call)],
];

describe('an operation that needs a session', () => {
  it('has its row in these tests', () => {
    const needing = PLATFORM_OPERATIONS.filter(({ path }) => !isLoginPath(path)).flatMap(
      ({ names }) => names,
    );
    const names = OPERATIONS.map(([name]) => name);
    expect(
      needing.filter((name) => !names.includes(name)),
      'OPERATIONS has no row for them',
    ).toEqual([]);
  });

  it.each(OPERATIONS)(
    '%s is refused without a token before any request',
    async (_name, _route, operation) => {
      const platform = await startScriptedPlatform({});

      const refusal = operation(openSession(platform.baseUrl));

      await expect(refusal).rejects.toMatchObject({ constructor: SessionError, code: 'N/A' });
      expect(platform.connections).toBe(0);
    },
  );

  it.each(OPERATIONS)('%s is %s with the token and the cookie', async (_name, route, operation) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer('the-token'),
      'POST auth/logout': { status: 204 },
      'POST auth/identityToken': { status: 201, headers: { 'X-SVC-IdentityToken': 'identity' } },
      'PUT sessions': { status: 204 },
      'GET projects': { status: 200, body: [] },
      '*': { status: 200, body: {} },
    });

    await operation(await loggedIn(platform.baseUrl));

    expect(platform.count(route)).toBe(1);
    expect(platform.requests[1]).toMatchObject({
      body: '',
      headers: { 'x-svc-authtoken': 'the-token', cookie: 'JSESSIONID=one' },
    });
  });

  it.each(OPERATIONS)(
    '%s throws a session error on ERR009 and changes nothing',
    async (_name, _route, operation) => {
      const platform = await startScriptedPlatform({
        'POST auth/login': loginAnswer(),
        '*': {
          status: 401,
          headers: {
            'X-SVC-AuthToken': 'other',
            'X-SVC-More': '1',
            'Set-Cookie': 'JSESSIONID=other; Path=/',
          },
          body: { code: 'ERR009', message: 'The session has expired' },
        },
      });
      const session = await loggedIn(platform.baseUrl);
      const before = session.json();

      await expect(operation(session)).rejects.toMatchObject({
        constructor: SessionError,
        code: 'ERR009',
        status: 401,
      });

      expect(session.json()).toBe(before);
    },
  );
});

describe('an operation that reads', () => {
  it.each(OPERATIONS.filter(([, route]) => route.startsWith('GET ')))(
    '%s is a protocol error when the answer to %s is not what it reads',
    async (_name, route, operation) => {
      for (const body of ['"text"', 'null', '{"id": ']) {
        const platform = await startScriptedPlatform({
          'POST auth/login': loginAnswer(),
          [route]: { status: 200, headers: { 'content-type': 'application/json' }, body },
        });

        await expect(operation(await loggedIn(platform.baseUrl))).rejects.toBeInstanceOf(PlatformHttpError);
      }
    },
  );
});

describe('logout', () => {
  it('drops the token on 204', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
    });
    const session = await loggedIn(platform.baseUrl);

    await session.logout();

    expect(session.hasSession()).toBe(false);
    expect(session.toDict().headers).toEqual({});
  });

  it('is a failure on any other 2xx status, and keeps the token', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl);

    await expect(session.logout()).rejects.toMatchObject({ kind: 'protocol', status: 200 });

    expect(session.hasSession()).toBe(true);
  });
});

describe('destroyAuthToken', () => {
  it('removes the token and does nothing when there is none', async () => {
    const platform = await startScriptedPlatform({ 'POST auth/login': loginAnswer() });
    const session = await loggedIn(platform.baseUrl);

    session.destroyAuthToken();
    session.destroyAuthToken();

    expect(session.hasSession()).toBe(false);
  });
});

describe('reading', () => {
  it('returns the session status and the user with unknown fields', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': { status: 200, body: { id: 'S', timeout: 600, workingSet: 10 } },
      'GET sessions/userInfo': { status: 200, body: { fullName: 'A User', metadataUser: true } },
    });
    const session = await loggedIn(platform.baseUrl);

    await expect(session.getSessionInfo()).resolves.toEqual({ id: 'S', timeout: 600, workingSet: 10 });
    await expect(session.getUserInfo()).resolves.toEqual({ fullName: 'A User', metadataUser: true });
  });

  it.each([
    ['null', 'null'],
    ['a list where an object belongs', '[]'],
    ['broken JSON', '{"id": '],
  ])('with a session status that is %s is a protocol error', async (_name, body) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': { status: 200, headers: { 'content-type': 'application/json' }, body },
    });
    const session = await loggedIn(platform.baseUrl);

    await expect(session.getSessionInfo()).rejects.toMatchObject({
      constructor: PlatformHttpError,
      status: 200,
    });
  });

  it('converts a numeric id to text, and leaves out fields of an unexpected type', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions': { status: 200, body: { id: 5, timeout: '600', locale: null, more: 1 } },
      'GET sessions/userInfo': { status: 200, body: { id: 1.5, fullName: {}, initials: 'AU' } },
    });
    const session = await loggedIn(platform.baseUrl);

    const info = await session.getSessionInfo();
    const user = await session.getUserInfo();

    expect(info).toStrictEqual({ id: '5', timeout: 600, locale: null, more: 1 });
    expect(user).toStrictEqual({ initials: 'AU' });
    expect(rawPayload(info)).toStrictEqual({ id: 5, timeout: '600', locale: null, more: 1 });
    expect(rawPayload(user)).toStrictEqual({ id: 1.5, fullName: {}, initials: 'AU' });
  });

  it('drops keys that could reach a prototype', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET sessions/userInfo': {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"id": "U", "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
      },
    });

    const user = await (await loggedIn(platform.baseUrl)).getUserInfo();

    expect(Object.keys(user)).toEqual(['id']);
    expect(user.polluted).toBeUndefined();
  });
});

describe('projects', () => {
  const list = [
    { id: 'A', name: 'Sales', owner: { id: 'O', name: 'Owner' }, acg: 255 },
    { id: 'B', name: 'Twin' },
    { id: 'C', name: 'Twin' },
    { id: 'D', name: '__proto__' },
  ];

  async function withProjects(body: unknown = list): Promise<PlatformSession> {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': { status: 200, body },
    });
    return loggedIn(platform.baseUrl);
  }

  it('are listed as the platform returns them', async () => {
    await expect((await withProjects()).getProjects()).resolves.toEqual(list);
  });

  it('are listed whatever other fields one of them has', async () => {
    const odd = {
      id: 7,
      name: 'Odd',
      status: 'on',
      owner: { id: 8, name: [] },
      dateCreated: 0,
      more: 'kept',
    };
    const session = await withProjects([...list, odd]);

    await expect(session.getProjects()).resolves.toStrictEqual([
      ...list,
      { id: '7', name: 'Odd', owner: { id: '8' }, more: 'kept' },
    ]);
    await session.loadProjects();
    expect(session.getProjectId('Odd')).toBe('7');
  });

  it('are listed without those that have no id or no name, which are counted', async () => {
    const session = await withProjects([
      null,
      { id: 'E' },
      ...list,
      { name: 'F' },
      { id: 'G', name: 7 },
      'text',
      [],
    ] as object[]);

    const projects = await session.getProjects();

    expect(projects).toEqual(list);
    expect(leftOutProjects(projects)).toBe(6);
    expect(leftOutProjects(await (await withProjects()).getProjects())).toBe(0);
  });

  it('are one list for equal long answers where a cache is given, and never for answers that differ', async () => {
    const long = (name: string): object[] =>
      Array.from({ length: 2000 }, (_, n) => ({ id: String(10_000 + n), name: `${name} number ${n}` }));
    const json = (body: unknown, charset: string): object => ({
      status: 200,
      headers: { 'content-type': `application/json; charset=${charset}` },
      body: JSON.stringify(body),
    });
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET projects': [
        { status: 200, body: long('one') },
        { status: 200, body: long('one') },
        { status: 200, body: long('two') },
        json(long('n\u00efo'), 'utf-8'),
        json(long('n\u00efo'), 'latin1'),
        { status: 200, body: list },
      ],
    } as Script);
    const listCache = new Map<string, object[]>();
    const session = await loggedIn(platform.baseUrl, { listCache });
    const [first, second, other, utf8, latin1, short] = [
      await session.getProjects(),
      await session.getProjects(),
      await session.getProjects(),
      await session.getProjects(),
      await session.getProjects(),
      await session.getProjects(),
    ];
    expect(second).toBe(first);
    expect(other[0]?.name).toBe('two number 0');
    expect(utf8[0]?.name).toBe('n\u00efo number 0');
    expect(latin1[0]?.name).toBe('n\u00c3\u00afo number 0');
    expect(short).toEqual(list);
    expect(listCache.size).toBe(4);
  });

  it('are found by name and by id after loading', async () => {
    const session = await withProjects();

    await session.loadProjects();

    expect(session.getProjectId('Sales')).toBe('A');
    expect(session.getProjectId('__proto__')).toBe('D');
    expect(session.getProjectId('sales')).toBeUndefined();
    expect(session.getProject('A')).toEqual(list[0]);
    expect(session.getProject('constructor')).toBeUndefined();
  });

  it('with the same name are rejected with all their ids', async () => {
    const session = await withProjects();
    await session.loadProjects();

    expect(() => session.getProjectId('Twin')).toThrow(AmbiguousProjectNameError);
    expect(() => session.getProjectId('Twin')).toThrow('2 projects have this name: B, C.');
  });

  it('with the same name are listed in the message up to ten, in at most 512 readable characters', () => {
    const many = Array.from({ length: 5000 }, (_, n) => `id-${n}`);
    const error = new AmbiguousProjectNameError(many);
    expect(error.projectIds).toHaveLength(5000);
    expect(error.message).toBe(
      `5000 projects have this name: ${many.slice(0, 10).join(', ')} and 4990 more.`,
    );
    const odd = new AmbiguousProjectNameError(['A\u202e\nB', 'x'.repeat(100_000)]);
    expect(odd.message).toMatch(/^2 projects have this name: A B, x+\.$/);
    expect(odd.message.length).toBeLessThan(560);
  });

  it('cannot be looked up before loading or after the session ended', async () => {
    const session = await withProjects();

    expect(() => session.getProjectId('Sales')).toThrow(SessionError);
    await session.loadProjects();
    session.destroyAuthToken();

    expect(() => session.getProjectId('Sales')).toThrow(SessionError);
    expect(() => session.getProject('A')).toThrow(SessionError);
  });

  it.each([
    ['an object', {}],
    ['null', null],
    ['a number', 7],
    ['a list of texts', ['A']],
    ['a project without a name', [{ id: 'A' }]],
    ['a project with an object as id', [{ id: {}, name: 'A' }]],
    ['a project with a number as name', [{ id: 'A', name: 1 }]],
    ['more than 10,000', Array.from({ length: 10_001 }, (_, index) => ({ id: String(index), name: 'P' }))],
  ])('that come as %s are a protocol error', async (_name, body) => {
    await expect((await withProjects(body)).getProjects()).rejects.toThrow(PlatformHttpError);
  });

  it('may be 10,000', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ id: String(index), name: 'P' }));

    await expect((await withProjects(many)).getProjects()).resolves.toHaveLength(10_000);
  });
});

describe('request', () => {
  it('needs a token, unless includeAuth is false', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: {} } });
    const session = openSession(platform.baseUrl);

    await expect(session.request('GET', 'things')).rejects.toMatchObject({ kind: 'no-session' });
    await session.request('GET', 'status', { includeAuth: false });

    expect(platform.requests.map(({ path }) => path)).toEqual(['status']);
  });

  it.each([{ code: 'ERR009', message: 'Expired' }, { errors: [{ code: 'ERR009', ticketId: '0123' }] }])(
    'reports an error payload in a 200 as the error that it is, and takes nothing from it: %j',
    async (body) => {
      const headers = { 'X-SVC-AuthToken': 'other', 'Set-Cookie': 'a=1' };
      const platform = await startScriptedPlatform({ '*': { status: 200, body, headers } });
      const session = sessionWithToken(platform.baseUrl);

      await expect(session.getUserInfo()).rejects.toMatchObject({ kind: 'session-expired', status: 200 });

      expect(session.toDict()).toMatchObject({ cookies: [], headers: { 'X-SVC-AuthToken': 'token-0' } });
    },
  );

  it.each([
    { code: 'ERR009' },
    { code: 'ERROR', message: 'x' },
    { id: 'U', fullName: 'ERR009' },
    { code: 9, message: 'ERR009' },
  ])('takes an object that is not an error payload for a value: %j', async (body) => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body } });

    await expect(sessionWithToken(platform.baseUrl).getUserInfo()).resolves.toEqual(body);
  });

  it('sends no token when includeAuth is false', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      '*': { status: 200, body: {} },
    });
    const session = await loggedIn(platform.baseUrl);

    await session.request('GET', 'status', { includeAuth: false });
    await session.request('GET', 'status');

    expect(platform.requests[1]?.headers).not.toHaveProperty('x-svc-authtoken');
    expect(platform.requests[2]?.headers).toHaveProperty('x-svc-authtoken', 'token-1');
  });

  it('sends a project id with one call only', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: {} } });
    const session = sessionWithToken(platform.baseUrl);

    await session.request('GET', 'sessions', { projectId: 'A' });
    await session.request('GET', 'sessions', { projectId: 'B' });
    await session.request('GET', 'sessions');

    expect(platform.requests.map(({ headers }) => headers['x-svc-projectid'])).toEqual(['A', 'B', undefined]);
  });

  it.each<[string, unknown, unknown, unknown]>([
    ['a method that is no word', 'GE T', 'status', {}],
    ['a method that is none of HTTP', 'FETCH', 'status', {}],
    ['a method that is no text', { method: 'GET' }, 'status', {}],
    ['no method', undefined, 'status', {}],
    ['no path', 'GET', undefined, {}],
    ['a path that is no text', 'GET', new URL('http://127.0.0.1:9/api/x'), {}],
    ['options that are no object', 'GET', 'status', 'includeAuth'],
    ['an AbortController as signal', 'GET', 'status', { signal: new AbortController() }],
    ['a function as signal', 'GET', 'status', { signal: () => undefined }],
    ['a text as signal', 'GET', 'status', { signal: 'stop' }],
    ['a header value that is no text', 'GET', 'status', { headers: { 'x-one': 1 } }],
  ])('refuses %s before any request', async (_name, method, path, options) => {
    const platform = await startScriptedPlatform({});

    const call = sessionWithToken(platform.baseUrl).request(
      method as 'GET',
      path as string,
      options as RequestOptions,
    );

    await expect(call).rejects.toThrow(InvalidRequestError);
    expect(platform.connections).toBe(0);
  });

  it.each(OPERATIONS)(
    'is rejected as %s when the signal is not an AbortSignal',
    async (_name, _route, operation) => {
      const platform = await startScriptedPlatform({ 'POST auth/login': loginAnswer() });
      const session = await loggedIn(platform.baseUrl);
      const signal = new AbortController() as unknown as AbortSignal;

      await expect(operation(session, { signal })).rejects.toThrow(InvalidRequestError);
      await expect(session.login({}, { signal })).rejects.toThrow(InvalidRequestError);

      expect(platform.requests).toHaveLength(1);
    },
  );

  it('treats null as absent in its options', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: {} } });
    const session = sessionWithToken(platform.baseUrl);

    await session.request('GET', 'sessions', { projectId: null, signal: null, headers: null });
    await session.request('GET', 'sessions', null as unknown as RequestOptions);

    expect(platform.requests).toHaveLength(2);
    expect(platform.requests[0]?.headers).not.toHaveProperty('x-svc-projectid');
  });

  it.each(['', 'A\r\nX-Evil: 1', 'A\n', 'A\0', '日本', 'A'.repeat(257)])(
    'refuses the project id %j before any request',
    async (projectId) => {
      const platform = await startScriptedPlatform({});

      const call = sessionWithToken(platform.baseUrl).request('GET', 'sessions', { projectId });

      await expect(call).rejects.toThrow(InvalidRequestError);
      expect(platform.connections).toBe(0);
    },
  );

  it("sends a JSON body and additional headers, and does not modify the caller's object", async () => {
    const platform = await startScriptedPlatform({ '*': { status: 200, body: { done: true } } });
    const headers = Object.freeze({ Prefer: 'respond-async' });

    const response = await sessionWithToken(platform.baseUrl).request('POST', 'things?x=1', {
      body: { a: 1 },
      headers,
    });

    expect(platform.requests[0]).toMatchObject({
      path: 'things?x=1',
      body: '{"a":1}',
      headers: { prefer: 'respond-async' },
    });
    expect(response.json()).toEqual({ done: true });
  });

  it.each(['X-SVC-AuthToken', 'x-svc-projectid', 'Cookie', 'Host', 'bad name'])(
    'refuses %s as a further header',
    async (name) => {
      const platform = await startScriptedPlatform({});

      const call = sessionWithToken(platform.baseUrl).request('GET', 'status', { headers: { [name]: 'x' } });

      await expect(call).rejects.toThrow(InvalidRequestError);
    },
  );

  it.each([
    ['/api', 'sessions'],
    ['/api', '/sessions'],
    ['/api/', 'sessions'],
    ['/api/', '/sessions'],
    ['/api//', 'sessions'],
    ['/api///', '/sessions'],
  ])('reaches the same place from base %s and path %s', async (end, path) => {
    const platform = await startScriptedPlatform({ 'GET sessions': { status: 200, body: {} } });

    await sessionWithToken(platform.origin + end).request('GET', path);

    expect(platform.count('GET sessions')).toBe(1);
  });

  it.each([
    'http://127.0.0.1:9/api/x',
    '//127.0.0.1:9/x',
    '../other',
    '%2e%2e/other',
    'x/../../other',
    '\\\\host\\x',
    'file:///x',
  ])('rejects the path %s, which is outside the base', async (path) => {
    const platform = await startScriptedPlatform({});

    await expect(sessionWithToken(platform.baseUrl).request('GET', path)).rejects.toThrow(
      InvalidRequestError,
    );

    expect(platform.connections).toBe(0);
  });

  it.each([
    'projects\r\nX-Evil: 1',
    'pro\njects',
    'pro\tjects',
    'projects\0',
    'projects\x7f',
    'projects\x85',
    'projects ',
    ' projects',
    'a\\b',
    'projects?q=\r',
    'projects/\ud800',
  ])('rejects the path %j, which a URL would change', async (path) => {
    const platform = await startScriptedPlatform({});

    await expect(sessionWithToken(platform.baseUrl).request('GET', path)).rejects.toThrow(
      InvalidRequestError,
    );

    expect(platform.connections).toBe(0);
  });

  it.each(['GET', 'HEAD'] as const)('refuses a body for %s before any request', async (method) => {
    const platform = await startScriptedPlatform({});

    const call = sessionWithToken(platform.baseUrl).request(method, 'status', { body: {} });

    await expect(call).rejects.toThrow(InvalidRequestError);
    expect(platform.connections).toBe(0);
  });

  it.each([Symbol('no JSON'), 1n, { then: { toJSON: () => 1n } }])(
    'refuses a body that is no JSON before any request: %p',
    async (body) => {
      const platform = await startScriptedPlatform({});

      const call = sessionWithToken(platform.baseUrl).request('POST', 'status', { body: body as object });

      await expect(call).rejects.toThrow(InvalidRequestError);
      expect(platform.connections).toBe(0);
    },
  );

  it('is rejected once the session object is closed', async () => {
    const platform = await startScriptedPlatform({});
    const session = sessionWithToken(platform.baseUrl);

    await session.close();

    await expect(session.request('GET', 'status')).rejects.toThrow(SessionError);
  });

  it('throws the class for the code of the response', async () => {
    const platform = await startScriptedPlatform({ '*': errorAnswer(404, 'ERR004', 'HTTP 404 Not Found') });

    await expect(sessionWithToken(platform.baseUrl).request('GET', 'hello/dave')).rejects.toMatchObject({
      name: 'ResourceNotFoundError',
      code: 'ERR004',
      status: 404,
    });
  });
});
