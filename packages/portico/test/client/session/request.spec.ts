import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, type CallOptions, type RequestOptions } from '../../../src/client/index.js';
import { readBaseUrl } from '../../../src/client/connection/paths.js';
import { VendorHeaders } from '../../../src/client/connection/headers.js';
import { bytesBody, jsonBody, standardBody } from '../../../src/client/session/request-body.js';
import {
  readRequest,
  requireBodyAllowed,
  requireCallOptions,
  requireMethod,
  requireProjectId,
  requireRequestOptions,
  type RequestMethod,
  type SessionRequest,
} from '../../../src/client/session/request.js';

const BASE = readBaseUrl('http://platform.example/api');
const names = new VendorHeaders('SVC');
const LONGEST_MS = 2 ** 31 - 1;

function read(path: string, options: object = {}, method: RequestMethod = 'GET'): SessionRequest {
  return readRequest(BASE, method, path, options, names);
}

const pathOf = (path: string, options: object): string =>
  read(path, options).line.url.href.slice(BASE.href.length);

describe('the method of a request', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('may be %s', (method) => {
    expect(requireMethod(method)).toBe(method);
  });

  it.each(['get', 'OPTIONS', '', undefined, 5])(
    'is never %s, and the error names those that may be',
    (method) => {
      expect(() => requireMethod(method)).toThrow('must be one of GET, HEAD, POST, PUT, PATCH, DELETE.');
      expect(() => requireMethod(method)).toThrow(InvalidRequestError);
    },
  );

  it.each([
    ['GET', false],
    ['HEAD', false],
    ['POST', true],
    ['DELETE', true],
  ])('%s may have a body: %s', (method, mayHave) => {
    const body = bytesBody(Uint8Array.of(1));

    expect(requireBodyAllowed(method, undefined)).toBeUndefined();
    if (mayHave) expect(requireBodyAllowed(method, body)).toBe(body);
    else expect(() => requireBodyAllowed(method, body)).toThrow(`A ${method} request cannot have a body.`);
  });
});

describe('the options of a call', () => {
  const signal = new AbortController().signal;
  const all = { signal, timeoutMs: 1, queueTimeoutMs: LONGEST_MS, maxResponseBytes: 5, party: ['a'] };

  it.each([null, undefined, {}])('may be missing: %s', (given) => {
    expect(requireCallOptions(given)).toEqual({});
    expect(requireRequestOptions(given)).toEqual({});
  });

  it('are taken as they are', () => {
    const given = { ...all, onLarge: (): Promise<void> => Promise.resolve() };

    expect(requireCallOptions(given)).toBe(given);
    expect(requireRequestOptions(given)).toBe(given);
  });

  it.each<[string, object]>([
    ['an object', 5 as never],
    ['The signal', { signal: {} }],
    ['The signal', { signal: 'x' }],
    ['The signal', { signal: { aborted: 1, addEventListener: () => 0, removeEventListener: () => 0 } }],
    ['The signal', { signal: { aborted: false, addEventListener: 1, removeEventListener: () => 0 } }],
    ['The signal', { signal: { aborted: false, addEventListener: () => 0 } }],
    ['The party', { party: [] }],
    ['The party', { party: 'a' }],
    ['The party', { party: ['a', 5] }],
    ['The party', { party: null }],
    ['onLarge', { onLarge: 5 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: LONGEST_MS + 1 }],
    ['queueTimeoutMs', { queueTimeoutMs: 1.5 }],
    ['queueTimeoutMs', { queueTimeoutMs: -1 }],
    ['maxResponseBytes', { maxResponseBytes: '5' }],
    ['Option timeout', { timeout: 5 }],
    ['Option headers', { headers: {} }],
    ['Option own', Object.create({ own: 1 }) as object],
  ])('that are unusable are refused by name: %s %j', (named, given) => {
    expect(() => requireCallOptions(given as CallOptions)).toThrow(InvalidRequestError);
    expect(() => requireCallOptions(given as CallOptions)).toThrow(named);
  });

  it.each<object>([
    { signal: null },
    { signal: undefined },
    { signal: { aborted: false, addEventListener: () => 0, removeEventListener: () => 0 } },
    { timeoutMs: undefined },
    { timeoutMs: null },
    { maxResponseBytes: LONGEST_MS },
    { misspelled: undefined },
  ])('may be absent or of another realm: %j', (given) => {
    expect(requireCallOptions(given as CallOptions)).toBe(given);
  });

  it.each<[unknown, boolean]>([
    [[304], true],
    [[], true],
    [() => true, true],
    [null, true],
    [undefined, true],
    ['304', false],
    [304, false],
    [['304'], false],
    [[304, 1.5], false],
    [false, false],
  ])('acceptStatus is a list of statuses or a function: %j, %s', (acceptStatus, isUsable) => {
    const given = { acceptStatus } as RequestOptions;

    if (isUsable) expect(requireRequestOptions(given)).toBe(given);
    else expect(() => requireRequestOptions(given)).toThrow('acceptStatus must be an array of statuses');
  });

  it('of a request are more than those of a call', () => {
    const given = { includeAuth: true, projectId: 'a', body: 'a', headers: {}, query: {}, pathParams: {} };

    expect(requireRequestOptions(given)).toBe(given);
    expect(() => requireRequestOptions({ paths: 1 } as object)).toThrow(
      'Option paths of a call is not a known name; do you mean pathParams?',
    );
  });
});

describe('a request that is ready to be sent', () => {
  it('has nothing but its method and its URL by default', () => {
    const options = {};
    const request = read('/reports', options);

    expect(request).toEqual({
      line: { method: 'GET', url: new URL('reports', BASE), body: undefined },
      fields: {},
      projectId: undefined,
      includeAuth: true,
      options,
      accepts: expect.any(Function),
    });
    expect(request.options).toBe(options);
  });

  it('has the same where every option is null', () => {
    const none = { headers: null, projectId: null, body: null, query: null, pathParams: null };

    expect(read('reports', none)).toMatchObject({
      fields: {},
      projectId: undefined,
      line: { body: undefined },
    });
  });

  it('has the project, the headers and the body that it is given', () => {
    const options = { projectId: 'P', headers: { 'X-Own': 'a' }, body: { a: 1 }, includeAuth: false };
    const request = read('reports', options, 'POST');

    expect(request).toMatchObject({ projectId: 'P', fields: { 'x-own': 'a' }, includeAuth: false });
    expect(request.line.body).toMatchObject({
      contentType: 'application/json',
      length: 7,
      isRepeatable: true,
    });
    expect(request.line.body?.open()).toBe('{"a":1}');
    expect(() => read('reports', options, 'GET')).toThrow('A GET request cannot have a body.');
  });

  it.each([
    [undefined, [200, 299], [199, 300, 404]],
    [null, [200], [404]],
    [[404], [200, 299, 404], [199, 300, 405]],
    [(status: number) => status === 404, [404], [200]],
  ])('takes these statuses for a success: %s', (acceptStatus, good, bad) => {
    const { accepts } = read('reports', { acceptStatus });

    expect(good.map(accepts)).toEqual(good.map(() => true));
    expect(bad.map(accepts)).toEqual(bad.map(() => false));
  });

  it.each([undefined, 'P'])('is for the project %s', (projectId) => {
    expect(requireProjectId(projectId)).toBe(projectId);
  });

  it.each(['', 'a b', null, 5])('is never for the project %j', (projectId) => {
    expect(() => requireProjectId(projectId)).toThrow('The project id is malformed.');
  });
});

describe('the path parameters of a request', () => {
  it.each<[string, object, string]>([
    ['reports/{id}', { id: 'R1' }, 'reports/R1'],
    ['reports/{id}/{n}/{id}', { id: 'a/b', n: 0 }, 'reports/a%2Fb/0/a%2Fb'],
    ['reports/{id}', { id: '...' }, 'reports/...'],
    ['reports/{id}', { id: '.a' }, 'reports/.a'],
    ['reports/{id}', { id: '\u{1f600}' }, 'reports/%F0%9F%98%80'],
    ['reports/{toString}', { toString: 'a' }, 'reports/a'],
    ['reports', {}, 'reports'],
  ])('take their place in %s, encoded: %j', (path, pathParams, sent) => {
    expect(pathOf(path, { pathParams })).toBe(sent);
  });

  it.each<[string, object, string]>([
    ['reports/{id}', {}, 'pathParams.id must be'],
    ['reports/{toString}', {}, 'pathParams.toString must be'],
    ['reports/{id}', { id: '' }, 'pathParams.id must be'],
    ['reports/{id}', { id: '.' }, 'pathParams.id must be'],
    ['reports/{id}', { id: '..' }, 'pathParams.id must be'],
    ['reports/{id}', { id: NaN }, 'pathParams.id must be'],
    ['reports/{id}', { id: Infinity }, 'pathParams.id must be'],
    ['reports/{id}', { id: true }, 'pathParams.id must be'],
    ['reports/{id}', { id: '\ud800' }, 'pathParams.id must be'],
    ['reports', { id: 'a' }, 'The path has no {id} for pathParams.id.'],
    [5 as never, { id: 'a' }, 'The path of a request must be a string.'],
  ])('are refused by name where they do not fit: %s %j', (path, pathParams, problem) => {
    expect(() => pathOf(path, { pathParams })).toThrow(InvalidRequestError);
    expect(() => pathOf(path, { pathParams })).toThrow(problem);
  });
});

describe('the query of a request', () => {
  it.each<[string, object, string]>([
    ['reports', { a: 'b c', n: 0, no: false, empty: '' }, 'reports?a=b+c&n=0&no=false&empty='],
    ['reports?x=1', { a: ['b', 2, null, undefined, true] }, 'reports?x=1&a=b&a=2&a=true'],
    ['reports', { a: null, b: undefined, c: [] }, 'reports'],
    [
      'reports',
      new URLSearchParams([
        ['a', '1'],
        ['a', '2'],
      ]),
      'reports?a=1&a=2',
    ],
  ])('is appended to %s: %j', (path, query, sent) => {
    expect(pathOf(path, { query })).toBe(sent);
  });

  it.each<[unknown, string]>([
    ['a=b', 'query must be an object.'],
    [{ a: {} }, 'query.a must be'],
    [{ a: [[1]] }, 'query.a must be'],
    [{ a: 1n }, 'query.a must be'],
    [{ a: () => 1 }, 'query.a must be'],
  ])('is refused where something of it would be lost', (query, problem) => {
    expect(() => pathOf('reports', { query })).toThrow(InvalidRequestError);
    expect(() => pathOf('reports', { query })).toThrow(problem);
  });
});

describe('a body', () => {
  const contentOf = async (given: unknown): Promise<unknown[]> => {
    const body = standardBody(given);
    const content = body?.open();
    const text =
      content instanceof Readable
        ? Buffer.concat((await content.toArray()).map((each) => Buffer.from(each as Buffer)))
        : content;
    return [body?.contentType, body?.length, body?.isRepeatable, Buffer.from(text as string).toString()];
  };

  it.each<[string, unknown, unknown[]]>([
    ['a text', 'caf\u00e9', ['text/plain;charset=UTF-8', 5, true, 'caf\u00e9']],
    [
      'search parameters',
      new URLSearchParams({ a: 'b c' }),
      ['application/x-www-form-urlencoded;charset=UTF-8', 5, true, 'a=b+c'],
    ],
    [
      'a part of an array',
      new Uint8Array([0x30, 0x31, 0x32, 0x33]).subarray(1, 3),
      [undefined, 2, true, '12'],
    ],
    ['a buffer of the standard', Uint8Array.of(0x31, 0x32).buffer, [undefined, 2, true, '12']],
    ['a blob', new Blob(['ab'], { type: 'text/csv' }), ['text/csv', 2, true, 'ab']],
    ['a blob without a type', new Blob(['ab']), [undefined, 2, true, 'ab']],
    ['a stream of Node', Readable.from(['a', Buffer.from('b')]), [undefined, undefined, false, 'ab']],
    ['a stream of the standard', new Blob(['ab']).stream(), [undefined, undefined, false, 'ab']],
  ])('by the rules of the standard is %s', async (_what, given, expected) => {
    expect(await contentOf(given)).toEqual(expected);
  });

  it.each([{}, [], 5, null, undefined, true, () => 'a'])(
    'by the rules of the standard is none: %s',
    (given) => {
      expect(standardBody(given)).toBeUndefined();
    },
  );

  it('that is a form has its fields and its files, escaped, between boundaries', async () => {
    const form = new FormData();
    form.append('a"b\nc', 'one\rtwo\nthree\r\nfour');
    form.append('file', new File(['data'], 'x"\r\n.txt', { type: 'text/csv' }));
    form.append('plain', new File(['more'], 'y'));
    const [contentType, length, isRepeatable, text] = await contentOf(form);
    const boundary = String(contentType).replace('multipart/form-data; boundary=', '');

    expect(boundary).toMatch(/^----portico-[\w-]{36}$/);
    expect(text).toBe(
      [
        `--${boundary}`,
        'Content-Disposition: form-data; name="a%22b%0D%0Ac"',
        '',
        'one\r\ntwo\r\nthree\r\nfour',
        `--${boundary}`,
        'Content-Disposition: form-data; name="file"; filename="x%22%0D%0A.txt"',
        'Content-Type: text/csv',
        '',
        'data',
        `--${boundary}`,
        'Content-Disposition: form-data; name="plain"; filename="y"',
        'Content-Type: application/octet-stream',
        '',
        'more',
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
    expect([length, isRepeatable]).toEqual([Buffer.byteLength(String(text)), true]);
  });

  it.each<[unknown, string]>([
    [{ a: [1, null, 'x', true] }, '{"a":[1,null,"x",true]}'],
    [{ a: undefined }, '{}'],
    [[], '[]'],
    [{ toJSON: () => ({ a: 1 }) }, '{"a":1}'],
    [{ a: { toJSON: () => 5 } }, '{"a":5}'],
    [{ [Symbol.toStringTag]: 'Report', toJSON: () => ({ a: 1 }) }, '{"a":1}'],
    [Object.create(null) as object, '{}'],
  ])('as JSON is a plain object or a list: %s', (given, text) => {
    expect(jsonBody(given)).toMatchObject({ contentType: 'application/json', length: text.length });
    expect(jsonBody(given).open()).toBe(text);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'must be a string, bytes'],
    ['a number', 5, 'must be a string, bytes'],
    ['a Map', new Map(), 'must be a string, bytes'],
    ['a function', () => 1, 'must be a string, bytes'],
    ['a function with a toJSON', Object.assign(() => 1, { toJSON: () => ({}) }), 'must be a string, bytes'],
    ['a Set inside', { a: new Set() }, 'cannot be written as JSON'],
    ['a function inside', { a: () => 1 }, 'cannot be written as JSON'],
    ['a symbol inside', { a: Symbol('a') }, 'cannot be written as JSON'],
    ['NaN inside', [NaN], 'cannot be written as JSON'],
    ['a bigint inside', [1n], 'cannot be written as JSON'],
    ['a text by its toJSON', { toJSON: () => 'a' }, 'cannot be written as JSON'],
    ['nothing by its toJSON', { toJSON: () => undefined }, 'cannot be written as JSON'],
  ])('as JSON is never %s, part of which would be lost', (_what, given, problem) => {
    expect(() => jsonBody(given)).toThrow(InvalidRequestError);
    expect(() => jsonBody(given)).toThrow(problem);
  });
});

describe('a stream as a body', () => {
  it('that is in use is refused', async () => {
    const locked = new Blob(['a']).stream();
    locked.getReader();
    const read = Readable.from(['a', 'b']);
    for await (const _part of read) break;
    const destroyed = Readable.from(['a']).destroy();
    const begun = Readable.from(['a', 'b']);
    begun.read();
    await new Promise((resolve) => begun.once('readable', resolve));
    begun.read();

    for (const stream of [locked, read, destroyed, begun]) {
      expect(() => standardBody(stream)).toThrow('is in use');
    }
  });

  it.each<[string, () => AsyncIterable<unknown>, unknown]>([
    [
      'the error that it fails with',
      async function* () {
        yield await Promise.resolve('a');
        throw new RangeError('mine');
      },
      expect.objectContaining({ message: 'mine' }),
    ],
    [
      'an error where it fails without a reason',
      // eslint-disable-next-line require-yield
      async function* () {
        await Promise.resolve();
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw undefined;
      },
      expect.objectContaining({ message: 'The stream failed without a reason.' }),
    ],
    [
      'an error where a part of it is neither text nor bytes',
      async function* () {
        yield await Promise.resolve(5);
      },
      expect.objectContaining({ message: 'A part of the stream is neither a Uint8Array nor a string.' }),
    ],
  ])('keeps %s', async (_what, source, failure) => {
    const body = standardBody(source());
    expect(body?.failure).toBeUndefined();

    await expect((body?.open() as Readable).toArray()).rejects.toBeDefined();

    expect(body?.failure).toEqual(failure);
  });
});
