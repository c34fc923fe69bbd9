import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { type GraphQLContext } from '../../../src/graphql/graphql-context.js';
import { apolloBench, type ApolloBench, type Told } from '../../support/graphql/apollo-bench.js';
import { sessionKeysSetting } from '../../support/session/session-keys.js';

const SECRET = 'a-secret-of-the-router-of-32-bytes';
const PRODUCTION = {
  NODE_ENV: 'production',
  PLATFORM_BASE_URL: 'https://platform.example/api',
  SESSION_KEYS: sessionKeysSetting(),
};
const TYPES = `
  type Service { sdl: String }
  type Query { ok: Boolean heavy: Boolean broken: Boolean _service: Service _entities: Boolean }
  type Mutation { login: Boolean logout: Boolean analyticsLogout: Boolean }
`;
const BUG = new Error('a bug');

let bench: ApolloBench | undefined;
let errors: unknown[];
let lines: unknown[];
beforeAll(() => {
  const line = (text: unknown): number => lines.push(text);
  Logger.overrideLogger({ log: line, warn: line, error: (error: unknown) => errors.push(error) });
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  errors = [];
  lines = [];
});
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

function start(environment: Record<string, string> = {}): void {
  const Query = {
    ok: () => true,
    heavy: (_source: unknown, _args: unknown, context: GraphQLContext) =>
      context.search?.(100_000)?.then(() => true),
    broken: () => {
      throw BUG;
    },
    _service: () => ({ sdl: 'sdl' }),
  };
  bench = apolloBench(TYPES, { Query, Mutation: { logout: () => true } }, environment);
}

async function ask(query: string, headers: Record<string, string> = {}, more: object = {}): Promise<Told> {
  if (bench === undefined) throw new Error('Nothing is started');
  return bench.ask({ body: { query, ...more }, headers });
}

const codeOf = ({ text }: Told): unknown =>
  (JSON.parse(text) as { errors?: [{ extensions: { code: string } }] }).errors?.[0].extensions.code;

describe('a place that is kept for a logout', () => {
  const reserved = { reserved: 'yes' };

  it.each(['mutation { logout }', 'mutation { a: logout }'])('is given to it: %s', async (query) => {
    start();
    expect(await ask(query, reserved)).toMatchObject({ status: 200 });
  });

  it.each([
    '{ ok }',
    'mutation { login }',
    'mutation { login logout }',
    'mutation { ...F } fragment F on Mutation { logout }',
    'mutation { ... { logout } }',
  ])('is given to nothing else: %s', async (query) => {
    start();
    const told = await ask(query, reserved);
    expect(told.status).toBe(503);
    expect(codeOf(told)).toBe('OVERLOADED');
  });

  it('is given to no document that has a logout beside the operation that is meant, or in one of several', async () => {
    start();
    const document = 'mutation A { logout } query B { ok }';
    expect(await ask(document, reserved, { operationName: 'B' })).toMatchObject({ status: 503 });
    expect(await ask(document, reserved)).toMatchObject({ status: 503 });
    expect(await ask(document, reserved, { operationName: 'A' })).toMatchObject({ status: 200 });
    expect((await ask(document)).status).toBe(400);
  });

  it('is given to it by its prefixed name', async () => {
    start({ FIELD_PREFIX: 'analytics' });
    expect(await ask('mutation { analyticsLogout }', reserved)).toMatchObject({ status: 200 });
    expect(await ask('mutation { logout }', reserved)).toMatchObject({ status: 503 });
  });
});

describe('the fields of federation', () => {
  const asking = [
    '{ _service { sdl } }',
    '{ a: _entities }',
    'query A { ok } query B { ... { _service { sdl } } }',
    '{ ...F } fragment F on Query { _service { sdl } }',
  ];
  const first = { operationName: 'A' };
  const named = (query: string): object => (query.startsWith('query') ? first : {});

  it.each(asking)('are open without a secret, except in production: %s', async (query) => {
    start();
    expect(await ask(query, {}, named(query))).toMatchObject({ status: 200 });
    await bench?.close();
    start(PRODUCTION);
    for (let time = 0; time < 2; time += 1) {
      const told = await ask(query, {}, named(query));
      expect(told.status).toBe(403);
      expect(codeOf(told)).toBe('FORBIDDEN');
    }
    expect(await ask('{ ok }')).toMatchObject({ status: 200 });
  });

  it.each(asking)('are open to a router alone with a secret: %s', async (query) => {
    start({ FEDERATION_SECRET: SECRET });
    const asRouter = { 'x-federation-secret': SECRET };
    expect(await ask(query, asRouter, named(query))).toMatchObject({ status: 200 });
    expect(await ask(query, {}, named(query))).toMatchObject({ status: 403 });
    expect(await ask(query, asRouter, named(query))).toMatchObject({ status: 200 });
    expect(await ask('{ ok }')).toMatchObject({ status: 200 });
  });
});

describe('an operation', () => {
  it('that changes something is refused to a page of a foreign origin, and one that reads is not', async () => {
    start({ CORS_ORIGINS: 'https://page.example' });
    const foreign = { origin: 'https://foreign.example' };
    expect(await ask('mutation { logout }', foreign)).toMatchObject({ status: 403 });
    expect(await ask('mutation { logout }', { origin: 'https://page.example' })).toMatchObject({
      status: 200,
    });
    expect(await ask('{ ok }', foreign)).toMatchObject({ status: 200 });
  });

  it('that reads may be compressed, and one that changes something not', async () => {
    start();
    expect(await ask('{ ok }')).toMatchObject({ mayBeCompressed: true });
    expect(await ask('mutation { logout }')).toMatchObject({ mayBeCompressed: false });
  });

  it('without errors writes nothing into the log', async () => {
    start();
    await ask('{ ok }');
    await ask('mutation { logout }');
    expect([...lines, ...errors]).toEqual([]);
  });

  it('gives its turn to others once a large answer is written', async () => {
    start();
    expect(await ask('{ heavy }')).toMatchObject({ status: 200, text: '{"data":{"heavy":true}}\n' });
    // A turn that nothing uses ends by itself, but later.
    await eventually(() => bench?.turns() === 0, 4_000);
  });

  it('that fails because of a bug is in the log with it, whoever executes it', async () => {
    start();
    const byApollo: boolean[] = [];
    for (let time = 0; time < 5; time += 1) {
      const told = await ask('{ broken }');
      byApollo.push(told.byApollo);
      expect(codeOf(told)).toBe('INTERNAL_SERVER_ERROR');
      expect(told.text).not.toContain('a bug');
    }
    expect(byApollo).toEqual([true, true, true, false, false]);
    expect(errors).toEqual(Array(5).fill(BUG));
  });
});
