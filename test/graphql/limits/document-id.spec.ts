import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocumentIds } from '../../../src/graphql/limits/document-id.js';

let server: FastifyInstance;
beforeAll(() => {
  server = Fastify();
  readDocumentIds(server);
  server.route({
    method: ['GET', 'POST'],
    url: '/',
    handler: ({ body, raw }) => ({ body, url: raw.url }),
  });
});
afterAll(() => server.close());

interface Read {
  readonly status: number;
  readonly message?: string;
  readonly body?: unknown;
  readonly url?: string;
}

/** What is left of a request for the server behind. */
async function read(method: 'GET' | 'POST', url: string, payload?: object): Promise<Read> {
  const answer = await server.inject({ method, url, ...(payload && { payload }) });
  return { ...answer.json<Omit<Read, 'status'>>(), status: answer.statusCode };
}

const hashed = (sha256Hash: string): object => ({ persistedQuery: { version: 1, sha256Hash } });

describe('the id of a document in a body', () => {
  it.each([
    ['a hash', { documentId: 'sha256:abc' }, hashed('abc')],
    ['a hash without its name', { documentId: 'abc' }, hashed('abc')],
    ['any id', { documentId: 'id:sha256:abc' }, hashed('id:sha256:abc')],
    ['one beside no document', { documentId: 'abc', query: null }, hashed('abc')],
    ['one beside extensions', { documentId: 'abc', extensions: { a: 1 } }, { a: 1, ...hashed('abc') }],
    [
      'one beside extensions as a text',
      { documentId: 'abc', extensions: '{"a":1}' },
      { a: 1, ...hashed('abc') },
    ],
    ['one beside extensions that are none', { documentId: 'abc', extensions: '{' }, hashed('abc')],
    ['one beside a list of extensions', { documentId: 'abc', extensions: ['a'] }, hashed('abc')],
    ['one beside null as extensions', { documentId: 'abc', extensions: null }, hashed('abc')],
  ])('becomes what Apollo calls a persisted query: %s', async (_which, body, extensions) => {
    expect(await read('POST', '/', body)).toMatchObject({ status: 200, body: { ...body, extensions } });
  });

  it.each([{ documentId: 7 }, { documentId: null }, { documentId: {} }, { query: '{ a }' }, ['abc']])(
    'is none if it is not a text: %j',
    async (body) => {
      expect(await read('POST', '/', body)).toEqual({ status: 200, body, url: '/' });
    },
  );

  it.each([
    { documentId: 'abc', query: '{ a }' },
    { documentId: 'abc', query: '' },
    { documentId: 'abc', extensions: hashed('def') },
    { documentId: 'abc', extensions: JSON.stringify(hashed('def')) },
  ])('is refused beside another document: %j', async (body) => {
    expect(await read('POST', '/', body)).toMatchObject({
      status: 400,
      message: 'A request must have either documentId or a document, not both',
    });
  });
});

describe('the id of a document in a URL', () => {
  it('becomes what Apollo calls a persisted query, and all else stays', async () => {
    const { url = '' } = await read('GET', '/?more=a?b&documentId=sha256%3Aabc&extensions=%7B%22a%22%3A1%7D');
    const { searchParams } = new URL(url, 'http://service');
    expect(url).toMatch(/^\/\?/);
    expect([...searchParams.keys()]).toEqual(['more', 'documentId', 'extensions']);
    expect(searchParams.get('more')).toBe('a?b');
    expect(JSON.parse(searchParams.get('extensions') ?? '')).toEqual({ a: 1, ...hashed('abc') });
  });

  it('is refused beside another document', async () => {
    expect(await read('GET', '/?documentId=abc&query=%7Ba%7D')).toMatchObject({ status: 400 });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/?query=%7Ba%7D'],
    ['GET', '/?documentId=a&documentId=b'],
    ['POST', '/?documentId=abc'],
  ] as const)('is none in %s %s', async (method, url) => {
    expect(await read(method, url)).toMatchObject({ status: 200, url });
  });
});
