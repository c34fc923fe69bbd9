import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { ServiceError, storeUnavailable } from '../../../src/errors/service-error.js';
import { type GraphQLContext } from '../../../src/graphql/graphql-context.js';
import { newHandle } from '../../../src/session/handle.js';
import { apolloBench, type ApolloBench, type Asked, type Told } from '../../support/graphql/apollo-bench.js';

const SECRET = 'a-secret-of-the-router-of-32-bytes';
const TYPES = `
  scalar JSONObject
  type Query { ok: Boolean other: Boolean heavy: Boolean raw: JSONObject twice(of: Int!): Int down: Boolean missing: Boolean started: Boolean asRouter: Boolean }
  type Mutation { change(to: Int): Int fail: Boolean store: Boolean }
`;

let bench: ApolloBench;
let isDown: boolean;
let changes: unknown[];
let lines: unknown[];
beforeAll(() => {
  const line = (text: unknown): number => lines.push(text);
  Logger.overrideLogger({ log: line, warn: line, error: line });
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  isDown = false;
  changes = [];
  lines = [];
  bench = start();
});
afterEach(() => bench.close());

function start(environment: Record<string, string> = {}): ApolloBench {
  const Query = {
    ok: () => true,
    other: () => false,
    heavy: (_source: unknown, _args: unknown, context: GraphQLContext) =>
      context.search?.(100_000)?.then(() => true),
    raw: () => (isDown ? { a: 1n } : {}),
    twice: (_source: unknown, { of }: { of: number }) => 2 * of,
    down: () => {
      if (isDown) throw storeUnavailable('down');
    },
    missing: () => {
      throw new ServiceError('NOT_FOUND', 'There is none');
    },
    started: (_source: unknown, _args: unknown, context: { cookie?: unknown }) => {
      context.cookie = { handle: 'handle', seconds: 60 };
      return true;
    },
    asRouter: (_source: unknown, _args: unknown, { isRouter }: { isRouter: boolean }) => isRouter,
  };
  const Mutation = {
    change: (_source: unknown, { to = 0 }: { to?: number }) => {
      changes.push(to);
      return to;
    },
    fail: () => {
      changes.push('fail');
      throw new ServiceError('NOT_FOUND', 'There is none');
    },
    store: () => {
      changes.push('store');
      throw storeUnavailable('down');
    },
  };
  return apolloBench(TYPES, { Query, Mutation }, environment);
}

/** Asks as often as it takes until a request is known, and once more. */
async function askOften(asked: Asked): Promise<{ first: Told; last: Told }> {
  const first = await bench.ask(asked);
  for (let time = 0; time < 3; time += 1) await bench.ask(asked);
  return { first, last: await bench.ask(asked) };
}

describe('a request that comes again', () => {
  it.each<[string, object, Record<string, string>]>([
    ['a plain one', { query: '{ ok }' }, {}],
    ['with variables', { query: 'query ($n: Int!) { twice(of: $n) }', variables: { n: 4 } }, {}],
    ['one of two operations', { query: 'query A { ok } query B { down }', operationName: 'A' }, {}],
    ['without the parts', { query: '{ ok }', operationName: null, variables: null, extensions: null }, {}],
    ['with extensions', { query: '{ ok }', extensions: { client: 'x', persistedQuery: null } }, {}],
    ['for the media type of GraphQL', { query: '{ ok }' }, { accept: 'application/graphql-response+json' }],
    ['for plain JSON', { query: '{ ok }' }, { accept: 'application/json' }],
    ['with an error', { query: '{ ok missing }' }, {}],
    ['that sets a cookie', { query: '{ started }' }, {}],
    ['with a literal', { query: '{ twice(of: 4) }' }, {}],
    ['with a literal and an error', { query: '{ twice(of: 4) missing }' }, {}],
    ['for the schema', { query: '{ __schema { queryType { name } } }' }, {}],
  ])('has the same answer without Apollo: %s', async (_which, body, headers) => {
    const { first, last } = await askOften({ body, headers });
    expect(first.byApollo).toBe(true);
    expect(last).toEqual({ ...first, byApollo: false });
    expect(first.mayBeCompressed).toBe(true);
  });

  it.each<[string, object]>([
    ['a plain one', { query: 'mutation { change }' }],
    ['with variables', { query: 'mutation ($to: Int!) { change(to: $to) }', variables: { to: 4 } }],
    ['with an error', { query: 'mutation { fail }' }],
    ['that the store is down for', { query: 'mutation { store }' }],
    ['with an error of its variables', { query: 'mutation ($to: Int!) { change(to: $to) }' }],
  ])('has the same answer if it is a mutation, and does its work once: %s', async (_which, body) => {
    const { first, last } = await askOften({ body });
    expect({ ...last, byApollo: true }).toEqual(first);
    expect(first.mayBeCompressed).toBe(false);
    expect(changes).toHaveLength(first.status === 400 ? 0 : 5);
  });

  it('is refused to a page of a foreign origin if it is a mutation', async () => {
    const body = { query: 'mutation { change }' };
    expect((await askOften({ body })).last.byApollo).toBe(false);
    const headers = { origin: 'https://foreign.example' };
    expect(await bench.ask({ body, headers })).toMatchObject({ byApollo: true, status: 403 });
    expect(changes).toHaveLength(5);
  });

  it('that is answered without errors writes nothing into the log', async () => {
    await askOften({ body: { query: '{ ok }' } });
    expect(lines).toEqual([]);
  });

  it('gives its turn to others once a large answer is written', async () => {
    await askOften({ body: { query: '{ heavy }' } });
    // A turn that nothing uses ends by itself, but later.
    await eventually(() => bench.turns() === 0, 4_000);
  });

  it('is answered without Apollo to a page of a foreign origin, too', async () => {
    const body = { query: '{ ok }' };
    await askOften({ body });
    const headers = { origin: 'https://foreign.example' };
    expect(await bench.ask({ body, headers })).toMatchObject({ byApollo: false, status: 200 });
  });

  it('is another one for each operation of its document', async () => {
    const query = 'query A { ok } query B { other }';
    await askOften({ body: { query, operationName: 'A' } });
    expect(await bench.ask({ body: { query, operationName: 'B' } })).toMatchObject({
      byApollo: true,
      text: '{"data":{"other":false}}\n',
    });
    await askOften({ body: { query, operationName: 'B' } });
    expect(await bench.ask({ body: { query, operationName: 'A' } })).toMatchObject({
      byApollo: false,
      text: '{"data":{"ok":true}}\n',
    });
  });

  it('is answered with 500 where its answer cannot be written', async () => {
    const body = { query: '{ raw }' };
    expect((await askOften({ body })).last).toMatchObject({ byApollo: false, status: 200 });
    isDown = true;
    expect(await bench.ask({ body })).toMatchObject({ byApollo: false, status: 500 });
  });

  it('says that the store is down by the status and when to try again', async () => {
    const body = { query: '{ down }' };
    await askOften({ body });
    isDown = true;
    expect(await bench.ask({ body })).toMatchObject({
      byApollo: false,
      status: 503,
      headers: { 'retry-after': '1' },
    });
  });

  it('has its answer in the content type that it asks for, also after it was asked for in another', async () => {
    const body = { query: '{ ok }' };
    const plain = { accept: 'application/json' };
    const graphql = { accept: 'application/graphql-response+json' };
    await askOften({ body, headers: plain });
    const { first, last } = await askOften({ body, headers: graphql });
    expect(first.byApollo).toBe(true);
    expect(last.byApollo).toBe(false);
    expect(last.headers['content-type']).toMatch(/^application\/graphql-response\+json/);
    expect((await bench.ask({ body, headers: plain })).headers['content-type']).toMatch(/^application\/json/);
  });

  it('has variables of its own', async () => {
    const query = 'query ($n: Int!) { twice(of: $n) }';
    await askOften({ body: { query, variables: { n: 4 } } });
    expect(await bench.ask({ body: { query, variables: { n: 5 } } })).toMatchObject({
      byApollo: false,
      text: '{"data":{"twice":10}}\n',
    });
    expect(await bench.ask({ body: { query, variables: { n: 'x' } } })).toMatchObject({
      byApollo: true,
      status: 400,
    });
  });

  it('is another one for a router', async () => {
    await bench.close();
    bench = start({ FEDERATION_SECRET: SECRET });
    const body = { query: '{ asRouter }' };
    const asRouter = { 'x-federation-secret': SECRET };
    expect((await askOften({ body, headers: asRouter })).last).toMatchObject({
      byApollo: false,
      text: '{"data":{"asRouter":true}}\n',
    });
    expect(await bench.ask({ body })).toMatchObject({
      byApollo: true,
      text: '{"data":{"asRouter":false}}\n',
    });
  });
});

describe('Apollo is asked each time', () => {
  it.each<[string, Asked]>([
    ['a GET', { method: 'GET', url: '/graphql?query={ok}', headers: { 'apollo-require-preflight': 'yes' } }],
    ['another path', { url: '/other', body: { query: '{ ok }' } }],
    ['a list of requests', { body: [{ query: '{ ok }' }] }],
    ['no document', { body: {} }],
    ['a document that is no text', { body: { query: 7 } }],
    ['no name for an operation', { body: { query: '{ ok }', operationName: '' } }],
    ['a name that is no text', { body: { query: '{ ok }', operationName: 7 } }],
    ['variables that are a list', { body: { query: '{ ok }', variables: [] } }],
    ['variables that are a text', { body: { query: '{ ok }', variables: 'x' } }],
    ['extensions that are a list', { body: { query: '{ ok }', extensions: [] } }],
    [
      'a hash',
      { body: { query: '{ ok }', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } } },
    ],
    ['an operation that is not there', { body: { query: 'query A { ok }', operationName: 'B' } }],
    ['a media type that is not offered', { body: { query: '{ ok }' }, headers: { accept: 'image/png' } }],
    ['what fails behind it', { body: { query: '{ ok }' }, headers: { broken: 'yes' } }],
    ['a place that is kept for a logout', { body: { query: '{ ok }' }, headers: { reserved: 'yes' } }],
  ])('for %s', async (_what, asked) => {
    const { first, last } = await askOften(asked);
    expect(last).toEqual({ ...first, byApollo: true });
  });

  it.each<[string, Asked]>([
    [
      'a hash',
      { body: { query: '{ ok }', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } } },
    ],
    ['no name for an operation', { body: { query: '{ ok }', operationName: '' } }],
    ['a name that is no text', { body: { query: '{ ok }', operationName: 7 } }],
    ['a list of variables', { body: { query: '{ ok }', variables: [] } }],
    ['a text as variables', { body: { query: '{ ok }', variables: 'x' } }],
    ['a list of extensions', { body: { query: '{ ok }', extensions: [] } }],
    ['another method', { method: 'PUT', body: { query: '{ ok }' } }],
  ])('for a query that it has answered before, with %s', async (_what, asked) => {
    expect((await askOften({ body: { query: '{ ok }' } })).last.byApollo).toBe(false);
    expect(await bench.ask(asked)).toMatchObject({ byApollo: true });
  });

  it('for a query that it has answered before, if the place is kept for a logout', async () => {
    const body = { query: '{ ok }' };
    expect((await askOften({ body })).last.byApollo).toBe(false);
    expect(await bench.ask({ body, headers: { reserved: 'yes' } })).toMatchObject({
      byApollo: true,
      status: 503,
    });
  });

  it('for a query with the cookie of a session from a foreign page, which it refuses', async () => {
    await bench.close();
    bench = start({ SESSION_COOKIE_SITE: 'none', CORS_ORIGINS: 'https://page.example' });
    const ask = (origin: string): Promise<Told> => {
      const cookie = `portico=${newHandle()}; __Host-portico=${newHandle()}`;
      return bench.ask({ body: { query: '{ ok }' }, headers: { origin, cookie, host: 'localhost' } });
    };
    for (let time = 0; time < 4; time += 1) await ask('https://page.example');
    expect(await ask('https://page.example')).toMatchObject({ byApollo: false, status: 200 });
    expect(await ask('https://foreign.example')).toMatchObject({ byApollo: true, status: 403 });
  });
});
