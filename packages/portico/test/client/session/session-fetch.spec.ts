import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  AuthenticatedPlatformSession,
  ForeignRedirectError,
  InvalidRequestError,
  PlatformClient,
  PlatformHttpError,
  type PlatformSession,
  PlatformTimeoutError,
  SessionError,
} from '../../../src/client/index.js';
import { holdTimers } from '../../support/client/hold-timers.js';
import { sessionWithToken } from '../../support/client/logged-in.js';
import { errorAnswer, loginAnswer, redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  type Script,
  type ScriptedAnswer,
  startScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/gate.js';

const servers = new Set<Server>();
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

/** A server that notes the body of each request as it comes. */
async function startReceiver() {
  const received: { headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"1"}');
    });
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`, received };
}

const EXPIRED = {
  status: 401,
  body: { code: 'ERR009', message: 'The session has timed out' },
  headers: { 'content-type': 'application/json' },
};

/** A platform that knows the last token only, until that is said to have expired. */
async function startExpiringPlatform(routes: Script = {}) {
  let logins = 0;
  let valid = '';
  const guarded = (answer: ScriptedAnswer): ScriptedAnswer => {
    return async (request, response) => {
      const isValid = request.headers['x-svc-authtoken'] === valid;
      const chosen = isValid ? answer : EXPIRED;
      if (typeof chosen === 'function') await chosen(request, response);
      else {
        response.writeHead(chosen.status, {
          'content-type': 'application/json',
          ...(chosen.headers as object),
        });
        response.end(JSON.stringify(chosen.body));
      }
    };
  };
  const platform = await startScriptedPlatform({
    'POST auth/login': (_request, response) => {
      logins += 1;
      valid = `token-${logins}`;
      response.writeHead(204, { 'X-SVC-AuthToken': valid }).end();
    },
    'POST auth/logout': { status: 204 },
    ...Object.fromEntries(
      Object.entries(routes).map(([route, answer]) => [route, guarded(answer as ScriptedAnswer)]),
    ),
  });
  return { platform, expire: () => (valid = 'none'), logins: () => logins };
}

describe.each(['got', 'undici'] as const)('fetch on a session, by %s,', (transport) => {
  const open = (baseUrl: string): PlatformSession => sessionWithToken(baseUrl, { transport });

  it('sends token, project and cookies, and works without its session object', async () => {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'GET reports/1': { status: 200, body: { name: 'Sales' } },
    });
    const session = open(platform.baseUrl);
    await session.login();
    const { fetch } = session;

    const response = await fetch('reports/1?limit=2', { headers: { 'X-SVC-ProjectID': 'P1', 'X-Own': 'a' } });

    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.ok, response.statusText]).toEqual([200, true, 'OK']);
    expect(response.url).toBe(`${platform.baseUrl}reports/1?limit=2`);
    expect(await response.clone().json()).toEqual({ name: 'Sales' });
    expect(response.clone().url).toBe(response.url);
    expect(platform.requests.at(-1)).toMatchObject({
      path: 'reports/1?limit=2',
      headers: {
        'x-svc-authtoken': 'token-1',
        'x-svc-projectid': 'P1',
        'x-own': 'a',
        cookie: 'JSESSIONID=one',
        accept: '*/*',
      },
    });
  });

  it('keeps a renewed token and cookie, and hands neither to the caller', async () => {
    const platform = await startScriptedPlatform({
      'GET reports': {
        status: 200,
        headers: { 'X-SVC-AuthToken': 'token-9', 'Set-Cookie': 'JSESSIONID=nine; Path=/', ETag: '"1"' },
        body: [],
      },
    });
    const session = open(platform.baseUrl);

    const response = await session.fetch('reports');
    await session.fetch('reports');

    expect([...response.headers.keys()].filter((name) => /token|cookie/.test(name))).toEqual([]);
    expect(response.headers.get('etag')).toBe('"1"');
    expect(platform.requests.at(-1)?.headers).toMatchObject({
      'x-svc-authtoken': 'token-9',
      cookie: 'JSESSIONID=nine',
    });
  });

  it.each<[number, unknown]>([
    [404, { code: 'ERR004', message: 'No such report' }],
    [500, { code: 'ERR002', message: 'Broken' }],
    [304, undefined],
    [503, 'busy'],
  ])('gives any status as a response: %s', async (status, body) => {
    const platform = await startScriptedPlatform({ 'POST reports': { status, body } });

    const response = await open(platform.baseUrl).fetch('reports', { method: 'post' });

    expect(response.status).toBe(status);
    expect(await response.text()).toBe(typeof body === 'object' ? JSON.stringify(body) : (body ?? ''));
  });

  it.each<[string, ScriptedAnswer]>([
    ['as 401', EXPIRED],
    ['in a 2xx', errorAnswer(200, 'ERR009')],
    [
      'in a 2xx with the label of a page',
      { ...EXPIRED, status: 200, headers: { 'content-type': 'text/html' } },
    ],
    ['under another status', errorAnswer(500, 'ERR009')],
    ['as ERR003, which on any call but a login means the session', errorAnswer(401, 'ERR003')],
    [
      'in a compressed answer',
      {
        status: 401,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: gzipSync('{"code":"ERR009","message":"Timed out"}'),
      },
    ],
  ])('rejects an expired session with the typed error: %s', async (_how, answer) => {
    const platform = await startScriptedPlatform({ 'GET reports': answer });

    const call = open(platform.baseUrl).fetch('reports');

    await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/^ERR00[39]$/) as unknown });
  });

  it('refuses, before anything is sent, what would leave the base URL or carry the token elsewhere', async () => {
    const platform = await startScriptedPlatform({});
    const { fetch } = open(platform.baseUrl);

    for (const path of ['http://127.0.0.1:9/api/x', '../admin', '//host/x', 'https://example.com/']) {
      await expect(fetch(path)).rejects.toThrow(InvalidRequestError);
    }
    for (const headers of [{ cookie: 'a=b' }, { 'X-SVC-AuthToken': 'x' }, { host: 'x' }]) {
      await expect(fetch('reports', { headers })).rejects.toThrow(InvalidRequestError);
    }
    await expect(fetch('reports', { method: 'TRACE' })).rejects.toThrow(InvalidRequestError);
    await expect(fetch('reports', { body: 'x' })).rejects.toThrow(InvalidRequestError);
    expect(platform.connections).toBe(0);
  });

  it('follows redirects within the origin, or as the call asks', async () => {
    const platform = await startScriptedPlatform({
      'GET old': redirectTo('new'),
      'GET new': { status: 200, body: 'moved' },
      'GET away': redirectTo('http://127.0.0.1:9/'),
    });
    const { fetch } = open(platform.baseUrl);

    const followed = await fetch('old');
    const manual = await fetch('old', { redirect: 'manual' });

    expect([followed.url, followed.redirected]).toEqual([`${platform.baseUrl}new`, true]);
    expect([manual.status, manual.headers.get('location')]).toEqual([302, 'new']);
    await expect(fetch('away')).rejects.toThrow(ForeignRedirectError);
    await expect(fetch('old', { redirect: 'error' })).rejects.toMatchObject({ kind: 'too-many-redirects' });
  });

  it('sends every body of the standard', async () => {
    const { baseUrl, received } = await startReceiver();
    const { fetch } = open(baseUrl);
    const form = new FormData();
    form.append('name "a"', 'Größe\n2');
    form.append('file', new File(['content'], 'a.csv', { type: 'text/csv' }));
    const bodies: [RequestInit['body'], string | RegExp, string | undefined][] = [
      ['text', 'text', 'text/plain;charset=UTF-8'],
      [new URLSearchParams({ a: '1 2' }), 'a=1+2', 'application/x-www-form-urlencoded;charset=UTF-8'],
      [new Uint8Array([1, 2]), '\x01\x02', undefined],
      [new Blob(['blob'], { type: 'text/csv' }), 'blob', 'text/csv'],
      [new Blob(['parts']).stream(), 'parts', undefined],
      [
        form,
        /filename="a\.csv"\r\nContent-Type: text\/csv\r\n\r\ncontent\r\n/,
        'multipart/form-data; boundary=',
      ],
    ];

    for (const [body, content, type] of bodies) {
      const response = await fetch('objects', { method: 'POST', body: body ?? null, duplex: 'half' });
      expect([response.status, await response.json()]).toEqual([201, { id: '1' }]);
      const last = received.at(-1);
      const sent = last?.body.toString() ?? '';
      expect(typeof content === 'string' ? sent === content : content.test(sent)).toBe(true);
      if (type === undefined) expect(last?.headers['content-type']).toBeUndefined();
      else expect(last?.headers['content-type']).toContain(type);
    }
    // Only to check what was sent.
    const multipart = await new Response(new Uint8Array(received.at(-1)?.body ?? []), {
      headers: { 'content-type': String(received.at(-1)?.headers['content-type']) },
      // eslint-disable-next-line @typescript-eslint/no-deprecated
    }).formData();
    expect(multipart.get('name "a"')).toBe('Größe\r\n2');
    await expect(fetch('objects', { method: 'POST', body: {} as unknown as string })).rejects.toThrow(
      InvalidRequestError,
    );
  });

  it('takes a Request, and keeps its body for a second attempt', async () => {
    const { platform, expire, logins } = await startExpiringPlatform({
      'POST reports': { status: 201, body: { id: '1' } },
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      transport,
      relogin: true,
    });
    expire();

    const response = await session.fetch(
      new Request(`${platform.baseUrl}reports`, {
        method: 'POST',
        body: JSON.stringify({ name: 'Sales' }),
        headers: { 'content-type': 'application/json' },
      }),
    );

    expect(response.status).toBe(201);
    expect(logins()).toBe(2);
    expect(platform.requests.filter(({ path }) => path === 'reports')).toMatchObject([
      { body: '{"name":"Sales"}' },
      { body: '{"name":"Sales"}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('logs in once for three calls that find the session expired', async () => {
    const { platform, expire, logins } = await startExpiringPlatform({
      'GET reports': { status: 200, body: [] },
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      transport,
      relogin: true,
    });
    expire();

    const answers = await Promise.all(['a', 'b', 'c'].map((name) => session.fetch(`reports?${name}`)));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(logins()).toBe(2);
  });

  it('never sends a stream twice, neither after an expiry nor after a redirect', async () => {
    const { platform, expire, logins } = await startExpiringPlatform({
      'POST reports': { status: 201 },
      'POST moved': redirectTo('reports', 307),
    });
    await using session = await AuthenticatedPlatformSession.open({
      baseUrl: platform.baseUrl,
      transport,
      relogin: true,
    });
    const stream = (): ReadableStream => new Blob(['rows']).stream();

    await expect(session.fetch('moved', { method: 'POST', body: stream(), duplex: 'half' })).rejects.toThrow(
      PlatformHttpError,
    );
    expire();
    await expect(
      session.fetch('reports', { method: 'POST', body: stream(), duplex: 'half' }),
    ).rejects.toThrow(SessionError);
    await expect(session.request('POST', 'reports', { body: stream() })).rejects.toThrow(SessionError);

    expect(logins()).toBe(1);
    expect(platform.count('POST reports')).toBe(2);
  });

  it('passes a body on as it arrives, and holds its place until the body ends or is cancelled', async () => {
    const next = gate();
    const platform = await startScriptedPlatform({
      'GET events': async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write('{"n":1}\n');
        await next.passed;
        response.end('{"n":2}\n');
      },
      'GET file': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf' });
        response.write(Buffer.alloc(300_000));
      },
      'GET reports': { status: 200, body: [] },
    });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl, transport, maxCallsPerSession: 1 });
    const session = client.restoreSession(open(platform.baseUrl).json());

    const events = (await session.fetch('events')).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await events?.read()).toMatchObject({ value: '{"n":1}\n' });
    const waiting = session.getSessions().catch(() => 'answered');
    expect(platform.count('GET sessions')).toBe(0);
    next.open();
    expect(await events?.read()).toMatchObject({ value: '{"n":2}\n' });
    expect(await events?.read()).toMatchObject({ done: true });
    expect(await waiting).toBe('answered');

    const file = await session.fetch('file');
    await file.body?.cancel();
    expect(await (await session.fetch('reports')).json()).toEqual([]);
    await eventually(() => platform.openConnections <= 1);
  });

  it('gives its place back when a body is neither read nor continued for as long as timeoutMs', async () => {
    const platform = await startScriptedPlatform({
      'GET file': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf' });
        response.write(Buffer.alloc(4_000_000));
      },
      'GET stalled': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf' });
        response.write('%PDF');
      },
      'GET reports': { status: 200, body: [] },
    });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl, transport, maxCallsPerSession: 1 });
    const session = client.restoreSession(open(platform.baseUrl).json());

    holdTimers('setTimeout');
    try {
      const unread = await session.fetch('file', { timeoutMs: 300 });
      await (await whileTimePasses(session.fetch('reports'))).json();
      await expect(unread.arrayBuffer()).rejects.toThrow('was not read for as long as timeoutMs');
      const stalled = await session.fetch('stalled', { timeoutMs: 300 });
      await expect(whileTimePasses(stalled.arrayBuffer())).rejects.toThrow(PlatformTimeoutError);
    } finally {
      vi.useRealTimers();
    }
  });

  it('rejects with the reason of the signal, before the response and within its body', async () => {
    const platform = await startScriptedPlatform({
      'GET slow': () => undefined,
      'GET file': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf' });
        response.write('%PDF');
      },
    });
    const { fetch } = open(platform.baseUrl);
    const reason = new Error('changed my mind');

    const before = new AbortController();
    const slow = fetch('slow', { signal: before.signal });
    await eventually(() => platform.count('GET slow') === 1);
    before.abort(reason);
    await expect(slow).rejects.toBe(reason);

    const within = new AbortController();
    const file = await fetch('file', { signal: within.signal });
    within.abort();
    await expect(file.arrayBuffer()).rejects.toMatchObject({ name: 'AbortError' });
    await expect(fetch('slow', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await eventually(() => platform.openConnections === 0);
  });

  it('reports a stream that fails as one of the caller, and one that breaks off as one of the platform', async () => {
    const platform = await startScriptedPlatform({
      'POST reports': { status: 201 },
      'GET file': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '100' });
        response.write('%PDF', () => response.destroy());
      },
    });
    const { fetch } = open(platform.baseUrl);
    const broken = new Error('disk full');
    const body = new ReadableStream({
      start: (controller) => {
        controller.error(broken);
      },
    });

    const sent = fetch('reports', { method: 'POST', body, duplex: 'half' });
    await expect(sent).rejects.toMatchObject({ kind: 'invalid-request', cause: broken });
    const file = await fetch('file');
    await expect(file.arrayBuffer()).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('repeats a read once after the failure of a gateway, and holds nothing of the first answer', async () => {
    const platform = await startScriptedPlatform({
      'GET reports': [
        { status: 503, headers: { 'content-type': 'text/html' }, body: Buffer.alloc(300_000, 'x') },
        { status: 200, body: [] },
      ],
    });
    await using client = new PlatformClient({ baseUrl: platform.baseUrl, transport, maxCallsPerSession: 1 });
    const session = client.restoreSession(open(platform.baseUrl).json());

    const response = await session.fetch('reports');

    expect([response.status, await response.json(), platform.count('GET reports')]).toEqual([200, [], 2]);
    expect((await session.fetch('reports')).status).toBe(200);
  });

  it('is ended by closing the client, in the middle of a body', async () => {
    const platform = await startScriptedPlatform({
      'GET file': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf' });
        response.write('%PDF');
      },
    });
    const client = new PlatformClient({ baseUrl: platform.baseUrl, transport });
    const session = client.restoreSession(open(platform.baseUrl).json());
    const file = await session.fetch('file');

    const reading = expect(file.arrayBuffer()).rejects.toMatchObject({ kind: 'client-closed' });
    await client.close();

    await reading;
    await eventually(() => platform.openConnections === 0);
  });

  it('reads compressed bodies, with any label that servers give them, and limits them if asked to', async () => {
    const csv = 'a,b\n'.repeat(100_000);
    const platform = await startScriptedPlatform({
      'GET gzip': {
        status: 200,
        headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
        body: gzipSync(csv),
      },
      'GET unpacked': {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: '{"a":1}',
      },
    });
    const { fetch } = open(platform.baseUrl);

    expect(await (await fetch('gzip')).text()).toBe(csv);
    expect(await (await fetch('unpacked')).json()).toEqual({ a: 1 });
    const limited = await fetch('gzip', { maxResponseBytes: 1000 });
    await expect(limited.text()).rejects.toThrow('larger than 1000 bytes');
  });
});

/** Lets the time that the test holds pass until a call has ended. */
async function whileTimePasses<T>(call: Promise<T>): Promise<T> {
  let isPending = true;
  const ended = call.finally(() => (isPending = false));
  ended.catch(() => undefined);
  await eventually(() => {
    vi.advanceTimersByTime(50);
    return !isPending;
  });
  return ended;
}
