import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  PlatformHttpError,
  PlatformResponse,
  PlatformTimeoutError,
  type RequestOptions,
  SessionError,
} from '../../../src/client/index.js';
import { openSession, sessionWithToken } from '../../support/client/logged-in.js';
import { errorAnswer } from '../../support/embedded-platform/platform-answers.js';
import { startScriptedPlatform } from '../../support/embedded-platform/scripted-platform.js';

const form = new FormData();
form.append('name', 'Sales');

describe.each(['got', 'undici'] as const)('the options of a request, by %s:', (transport) => {
  it.each<[string, RequestOptions['body'], string | RegExp, string | undefined]>([
    [
      'a plain object',
      { a: [1, null, new Date(0)] },
      '{"a":[1,null,"1970-01-01T00:00:00.000Z"]}',
      'application/json',
    ],
    ['a list', [1, 'two'], '[1,"two"]', 'application/json'],
    [
      'an object of a class',
      new (class Report {
        name = 'Sales';
      })(),
      '{"name":"Sales"}',
      'application/json',
    ],
    ['a string, which is not quoted', 'plain', 'plain', 'text/plain;charset=UTF-8'],
    ['a form', form, /name="name"\r\n\r\nSales\r\n/, 'multipart/form-data'],
    [
      'search parameters',
      new URLSearchParams({ a: '1' }),
      'a=1',
      'application/x-www-form-urlencoded;charset=UTF-8',
    ],
    ['bytes', Uint8Array.of(0x31, 0x32), '12', undefined],
    ['a Buffer', Buffer.from('buffer'), 'buffer', undefined],
    ['a blob', new Blob(['a,b'], { type: 'text/csv' }), 'a,b', 'text/csv'],
    ['a stream of Node', Readable.from(['a', 'b']), 'ab', undefined],
  ])('%s is sent as it is', async (_name, body, sent, type) => {
    const platform = await startScriptedPlatform({ 'POST objects': { status: 204 } });

    await sessionWithToken(platform.baseUrl, { transport }).request('POST', 'objects', { body });

    const [request] = platform.requests;
    expect(request?.body).toEqual(typeof sent === 'string' ? sent : expect.stringMatching(sent));
    expect(request?.headers['content-type']?.split(';').slice(0, type?.split(';').length).join(';')).toBe(
      type,
    );
  });

  it.each<[string, unknown]>([
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['a number', 5],
    ['true', true],
    ['a date', new Date(0)],
    ['a URL', new URL('http://localhost/')],
    ['an Error', new Error('no')],
    ['a promise', Promise.resolve({})],
    ['a function', () => ({})],
    ['a Map within an object', { filter: new Map([['a', 1]]) }],
    ['bytes within an object', { file: Uint8Array.of(1) }],
    ['a form within an object', { form: new FormData() }],
    ['a function within an object', { a: () => 1 }],
    ['a number that JSON does not know', { a: NaN }],
    [
      'a cycle',
      (() => {
        const a: Record<string, unknown> = {};
        a.a = a;
        return a;
      })(),
    ],
  ])('%s is refused before anything is sent', async (_name, body) => {
    const platform = await startScriptedPlatform({});
    const session = sessionWithToken(platform.baseUrl, { transport });

    const call = session.request('POST', 'objects', { body: body as object });

    await expect(call).rejects.toThrow(InvalidRequestError);
    expect(platform.connections).toBe(0);
  });

  it('the content type of the caller wins, except over the boundary of a form', async () => {
    const platform = await startScriptedPlatform({ 'POST objects': { status: 204 } });
    const session = sessionWithToken(platform.baseUrl, { transport });

    const headers = { 'Content-Type': 'application/json' };
    await session.request('POST', 'objects', { body: '{"a":1}', headers });
    const call = session.request('POST', 'objects', {
      body: form,
      headers: { 'content-type': 'multipart/form-data' },
    });

    await expect(call).rejects.toThrow('boundary');
    expect(platform.requests).toMatchObject([
      { body: '{"a":1}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('headers come in every form of the standard', async () => {
    const platform = await startScriptedPlatform({ 'GET reports': { status: 204 } });
    const session = sessionWithToken(platform.baseUrl, { transport });

    for (const headers of [new Headers({ 'X-Own': 'a' }), [['X-Own', 'a']] as const, { 'X-Own': 'a' }]) {
      await session.request('GET', 'reports', { headers });
      expect(platform.requests.at(-1)?.headers['x-own']).toBe('a');
    }
    await expect(session.request('GET', 'reports', { headers: { cookie: 'a=b' } })).rejects.toThrow('cookie');
  });

  it('query and path parameters are encoded, and nothing is lost', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 204 } });
    const session = sessionWithToken(platform.baseUrl, { transport });
    const pathParams = { id: 'a/b ?', instance: 7 };

    await session.request('GET', 'reports/{id}/instances/{instance}?x=1', {
      pathParams,
      query: { fields: ['id', 'name'], q: 'a&b=c', limit: 10, all: true, none: null, missing: undefined },
    });
    await session.request('GET', 'reports', { query: new URLSearchParams({ a: '1' }) });

    expect(platform.requests.map(({ path }) => path)).toEqual([
      'reports/a%2Fb%20%3F/instances/7?x=1&fields=id&fields=name&q=a%26b%3Dc&limit=10&all=true',
      'reports?a=1',
    ]);
    const path = 'reports/{id}';
    for (const [options, named] of [
      [{ pathParams: {} as { id: string } }, 'pathParams.id'],
      [{ pathParams: { id: '..' } }, 'pathParams.id'],
      [{ pathParams: { id: '' } }, 'pathParams.id'],
      [{ pathParams: { id: '1', other: '2' } }, 'pathParams.other'],
      [{ pathParams: { id: '1' }, query: { a: {} as string } }, 'query.a'],
    ] as const) {
      await expect(session.request('GET', path, options)).rejects.toThrow(named);
    }
    expect(platform.requests).toHaveLength(2);
  });

  it('an unknown one is an error that names the nearest known one', async () => {
    const platform = await startScriptedPlatform({ '*': { status: 204 } });
    const session = sessionWithToken(platform.baseUrl, { transport });
    const request = (options: object): Promise<unknown> => session.request('GET', 'reports', options);

    await expect(request({ timeout: 5 })).rejects.toThrow(
      'timeout of a call is not a known name; do you mean timeoutMs?',
    );
    await expect(request({ params: {} })).rejects.toThrow('do you mean pathParams?');
    await expect(request({ projectID: 'x' })).rejects.toThrow('do you mean projectId?');
    await expect(session.getProjects({ query: {} } as object)).rejects.toThrow(InvalidRequestError);
    await expect(session.login({ username: 'a', password: 'b', loginMode: 16 } as object)).rejects.toThrow(
      'loginMode of a login is not a known name; do you mean mode?',
    );
    await expect(session.login({ username: 'a', password: 'b' }, { abort: 1 } as object)).rejects.toThrow(
      InvalidRequestError,
    );
    expect(() => openSession(platform.baseUrl, { timeOut: 5 } as object)).toThrow('do you mean timeoutMs?');
    for (const [name, value] of [
      ['timeoutMs', 0],
      ['queueTimeoutMs', 1.5],
      ['maxResponseBytes', '5'],
    ]) {
      await expect(request({ [String(name)]: value })).rejects.toThrow(
        `${name} of a call must be an integer`,
      );
    }
    expect(platform.connections).toBe(0);
  });

  it('acceptStatus makes a status a success, but never an expired session', async () => {
    const platform = await startScriptedPlatform({
      'GET unchanged': { status: 304, headers: { etag: '"1"' } },
      'GET missing': errorAnswer(404, 'ERR004'),
      'GET expired': errorAnswer(401, 'ERR009'),
    });
    const session = sessionWithToken(platform.baseUrl, { transport });

    const unchanged = await session.request('GET', 'unchanged', { acceptStatus: [304] });
    const missing = await session.request('GET', 'missing', { acceptStatus: (status) => status < 500 });

    expect([unchanged.status, unchanged.ok, unchanged.header('etag')]).toEqual([304, false, '"1"']);
    expect([missing.status, missing.json<{ code: string }>().code]).toEqual([404, 'ERR004']);
    await expect(session.request('GET', 'expired', { acceptStatus: [401] })).rejects.toThrow(SessionError);
    await expect(session.request('GET', 'unchanged', { acceptStatus: '304' as never })).rejects.toThrow(
      'acceptStatus',
    );
  });

  it('a call has a deadline and a size of its own', async () => {
    const platform = await startScriptedPlatform({
      'GET slow': () => undefined,
      'GET file': {
        status: 200,
        headers: { 'content-type': 'application/pdf' },
        body: Buffer.from([0x25, 0xff, 0]),
      },
    });
    const session = sessionWithToken(platform.baseUrl, { transport });

    await expect(session.request('GET', 'slow', { timeoutMs: 20 })).rejects.toThrow(PlatformTimeoutError);
    await expect(session.request('GET', 'slow', { timeoutMs: 20 })).rejects.toThrow('20 ms (timeoutMs)');
    await expect(session.request('GET', 'file', { maxResponseBytes: 2 })).rejects.toThrow(PlatformHttpError);
    const file = await session.request('GET', 'file');
    expect([file.ok, [...file.bytes()]]).toEqual([true, [0x25, 0xff, 0]]);
  });
});

describe('a response that a test makes', () => {
  it('has what it is made of', () => {
    const made = PlatformResponse.from({ body: [{ id: '1' }], headers: { etag: '"1"' } });
    const text = PlatformResponse.from({ status: 404, body: 'no', url: 'http://h/x' });

    expect([made.status, made.ok, made.json(), made.header('etag')]).toEqual([
      200,
      true,
      [{ id: '1' }],
      '"1"',
    ]);
    expect([text.status, text.ok, text.text(), text.url]).toEqual([404, false, 'no', 'http://h/x']);
    expect([...PlatformResponse.from({ body: Uint8Array.of(1, 2) }).bytes()]).toEqual([1, 2]);
    expect(PlatformResponse.from().byteLength).toBe(0);
  });
});
