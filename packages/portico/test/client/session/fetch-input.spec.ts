import { describe, expect, it } from 'vitest';
import {
  AuthenticatedPlatformSession,
  ExecutionCancelledError,
  InvalidRequestError,
  MissingCredentialError,
  type PlatformSession,
  type SessionFetchInit,
} from '../../../src/client/index.js';
import { openSession, sessionWithToken } from '../../support/client/logged-in.js';
import { errorAnswer, loginAnswer, redirectTo } from '../../support/embedded-platform/platform-answers.js';
import {
  type Script,
  startScriptedPlatform,
  type ScriptedPlatform,
} from '../../support/embedded-platform/scripted-platform.js';

const MIB = 1024 * 1024;

async function start(
  script: Script = { '*': { status: 204 } },
): Promise<{ platform: ScriptedPlatform; session: PlatformSession }> {
  const platform = await startScriptedPlatform(script);
  return { platform, session: sessionWithToken(platform.baseUrl, { maxCallsPerSession: 1 }) };
}

/** A Request with a body, as `fetch` takes it. */
const posted = (url: string, body: NonNullable<RequestInit['body']>, headers = {}): Request =>
  new Request(url, { method: 'POST', body, headers, duplex: 'half' });

describe('fetch on a session takes', () => {
  it('no options, or null for them', async () => {
    const { platform, session } = await start();

    await session.fetch('reports');
    await session.fetch('reports', null as unknown as undefined);

    expect(platform.requests).toMatchObject([{ method: 'GET' }, { method: 'GET' }]);
  });

  it('a URL, and a Request without a body', async () => {
    const { platform, session } = await start();

    await session.fetch(new URL('reports?a=1', session.baseUrl));
    await session.fetch(new Request(`${session.baseUrl}reports?a=2`, { headers: { 'X-Own': 'b' } }));

    expect(platform.requests.map(({ path }) => path)).toEqual(['reports?a=1', 'reports?a=2']);
    expect(platform.requests[1]).toMatchObject({ body: '', headers: { 'x-own': 'b' } });
  });

  it('a type that the caller accepts, and any if it names none', async () => {
    const { platform, session } = await start();

    await session.fetch('reports', { headers: { Accept: 'text/csv' } });
    await session.fetch('reports');

    expect(platform.requests.map(({ headers }) => headers.accept)).toEqual(['text/csv', '*/*']);
  });

  it('an empty project id for none, in its option and in its header', async () => {
    const { platform, session } = await start();

    await session.fetch('reports', { projectId: '' });
    await session.fetch('reports', { headers: { 'X-SVC-ProjectID': '' } });

    for (const { headers } of platform.requests) expect(headers).not.toHaveProperty('x-svc-projectid');
  });

  it('a call that needs no session, if that is asked for', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 204 } });
    const session = openSession(platform.baseUrl);

    await session.fetch('status', { includeAuth: false });

    await expect(session.fetch('status')).rejects.toMatchObject({ kind: 'no-session' });
    expect(platform.requests).toHaveLength(1);
    expect(platform.requests[0]?.headers).not.toHaveProperty('x-svc-authtoken');
  });

  it('a body in place of that of a Request, but no form under its content type', async () => {
    const { platform, session } = await start();
    const request = (): Request => posted(`${session.baseUrl}reports`, 'one');

    await session.fetch(request(), { body: 'two' });

    await expect(session.fetch(request(), { body: new FormData() })).rejects.toThrow('boundary');
    expect(platform.requests.map(({ body }) => body)).toEqual(['two']);
  });

  it('a form within a Request, with the boundary that the Request has given it', async () => {
    const { platform, session } = await start();
    const form = new FormData();
    form.append('name', 'Sales');
    const request = posted(`${session.baseUrl}reports`, form);

    await session.fetch(request);

    expect(platform.requests[0]?.headers['content-type']).toBe(request.headers.get('content-type'));
    expect(platform.requests[0]?.body).toContain('name="name"\r\n\r\nSales\r\n');
  });
});

describe('fetch on a session refuses, before anything is sent,', () => {
  it.each<[string, (session: PlatformSession) => Promise<unknown>, string]>([
    [
      'options that are none',
      ({ fetch }) => fetch('a', 'POST' as never),
      'options of fetch must be an object',
    ],
    ['a header that is none', ({ fetch }) => fetch('a', { headers: { 'bad name': 'x' } }), 'unusable name'],
    [
      'a Request whose body was read',
      async ({ baseUrl, fetch }) => {
        const request = posted(baseUrl, 'rows');
        await request.text();
        return fetch(request);
      },
      'body of the Request has been used',
    ],
  ])('%s', async (_what, call, message) => {
    const { platform, session } = await start();

    const refusal = call(session);

    await expect(refusal).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(refusal).rejects.toThrow(message);
    expect(platform.connections).toBe(0);
  });

  it('a Request whose body fails, and says why', async () => {
    const { platform, session } = await start();
    const cause = new Error('disk full');
    const body = new ReadableStream({
      start: (controller) => {
        controller.error(cause);
      },
    });

    const refusal = session.fetch(posted(session.baseUrl, body));

    await expect(refusal).rejects.toMatchObject({ kind: 'invalid-request', cause });
    expect(platform.connections).toBe(0);
  });
});

describe('the body of a Request', () => {
  /** A session whose next call is told once that it has expired, and the sizes of the bodies that arrive. */
  async function expiring(): Promise<{ session: AuthenticatedPlatformSession; sizes: () => number[] }> {
    const platform = await startScriptedPlatform({
      'POST auth/login': loginAnswer(),
      'POST auth/logout': { status: 204 },
      'POST rows': [errorAnswer(401, 'ERR009'), { status: 204 }],
    });
    const session = await AuthenticatedPlatformSession.open({ baseUrl: platform.baseUrl, relogin: true });
    const sizes = (): number[] =>
      platform.requests.filter(({ path }) => path === 'rows').map(({ body }) => body.length);
    return { session, sizes };
  }

  it('is sent again after a new login if it is no larger than 1 MiB', async () => {
    const { session, sizes } = await expiring();
    await using _closed = session;

    const { status } = await session.fetch(posted(`${session.baseUrl}rows`, 'x'.repeat(MIB)));

    expect([status, sizes()]).toEqual([204, [MIB, MIB]]);
  });

  it('is sent whole, but only once, if it is larger', async () => {
    const { session, sizes } = await expiring();
    await using _closed = session;
    const parts = new Blob(['x'.repeat(MIB + 1), 'y'.repeat(MIB)]).stream();

    await expect(session.fetch(posted(`${session.baseUrl}rows`, parts))).rejects.toMatchObject({
      code: 'ERR009',
    });

    expect(sizes()).toEqual([2 * MIB + 1]);
  });
});

describe('fetch on a session answers', () => {
  it('a status above 599 with an error, because no Response has one, and gives back the connection', async () => {
    const { session } = await start({
      'GET odd': (_request, response) => {
        response.writeHead(600, { 'content-type': 'application/pdf' });
        response.write(Buffer.alloc(100_000));
      },
      'GET last': { status: 599 },
    });

    await expect(session.fetch('odd')).rejects.toMatchObject({ kind: 'protocol', status: 600 });

    expect((await session.fetch('last')).status).toBe(599);
  });

  it.each(['HEAD', 'GET'])('a %s without a body where there can be none', async (method) => {
    const { session } = await start({ '*': { status: method === 'HEAD' ? 200 : 205 } });

    const response = await session.fetch('reports', { method });

    expect(response.body).toBeNull();
  });

  it('without a body that there cannot be, and gives back the connection of one that comes', async () => {
    const { session } = await start({
      'GET odd': (_request, response) => {
        response.writeHead(205, { 'content-type': 'application/pdf' });
        response.write(Buffer.alloc(100_000));
      },
      'GET next': { status: 204 },
    });

    expect((await session.fetch('odd')).body).toBeNull();

    expect((await session.fetch('next')).status).toBe(204);
  });

  it('with whether it was redirected', async () => {
    const { session } = await start({ 'GET old': redirectTo('new'), 'GET new': { status: 204 } });

    expect((await session.fetch('new')).redirected).toBe(false);
    expect((await session.fetch('old')).redirected).toBe(true);
  });

  describe('when its session has expired and a new login gets no credential,', () => {
    async function failureOf(error: Error, init?: SessionFetchInit, failing?: () => void): Promise<unknown> {
      const { platform } = await start({
        'POST auth/login': loginAnswer(),
        'POST auth/logout': { status: 204 },
        'GET reports': errorAnswer(401, 'ERR009'),
      });
      let asked = 0;
      await using session = await AuthenticatedPlatformSession.open({
        baseUrl: platform.baseUrl,
        apiKey: () => {
          asked += 1;
          if (asked === 1) return 'key';
          failing?.();
          throw error;
        },
        relogin: true,
      });
      return await session.fetch('reports', init).catch((thrown: unknown) => thrown);
    }

    it('with the error of a provider that was canceled, since the call itself was not', async () => {
      const canceled = new ExecutionCancelledError('The provider was canceled.');

      expect(await failureOf(canceled)).toBe(canceled);
      expect(await failureOf(canceled, { signal: new AbortController().signal })).toBe(canceled);
    });

    it('with the error of the provider, although the signal of the call aborts just then', async () => {
      const abort = new AbortController();
      const sealed = new Error('The vault is sealed.');

      const failure = await failureOf(sealed, { signal: abort.signal }, () => {
        abort.abort();
      });

      expect(failure).toMatchObject({ constructor: MissingCredentialError, cause: sealed });
    });
  });
});
