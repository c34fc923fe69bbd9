import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.js';
import {
  Portico,
  porticoContext,
  type PorticoContext,
  porticoPlugins,
} from '../../src/graphql/portico-graphql.service.js';
import { type HostAnswer, type HostRequest } from '../../src/http/caller-context.js';
import { Observation } from '../../src/logging/observation.js';
import { newHandle } from '../../src/session/handle.js';

const PAGE = 'https://page.example';
const COOKIE = `portico=${newHandle()}`;

let portico: Portico;
let answered: [string | undefined, string | undefined][];
let server: ApolloServer<PorticoContext>;
let open: ReturnType<typeof porticoContext>;
beforeEach(async () => {
  answered = [];
  const observation = new Observation();
  observation.add({ operationAnswered: (...of) => answered.push(of) });
  portico = new Portico(parseSettings({ CORS_ORIGINS: PAGE }), observation);
  open = porticoContext(portico);
  server = new ApolloServer<PorticoContext>({
    typeDefs: `
      type Query { ok: Boolean started: Boolean used: Boolean looked: Boolean late: Boolean plain: Boolean }
      type Mutation { login: Boolean logout: Boolean order: Boolean }
    `,
    resolvers: {
      Query: {
        started: (_source, _args, context: PorticoContext) => {
          context.cookie = { handle: 'handle', seconds: 60 };
        },
        used: (_source, _args, context: PorticoContext) => {
          context.open = new Promise(() => undefined);
        },
        looked: (_source, _args, context: PorticoContext) => {
          context.known = Promise.resolve(undefined);
        },
        late: () => {
          throw new GraphQLError('late', { extensions: { code: 'RATE_LIMITED', retryAfter: 7 } });
        },
        plain: () => {
          throw new GraphQLError('plain', { extensions: { code: 'NOT_FOUND', retryAfter: 'soon' } });
        },
      },
    },
    plugins: porticoPlugins(portico),
  });
  await server.start();
});
afterEach(() => server.stop());

/** A request of Express, and the cookies that its answer gets. */
function exchange(
  headers: Record<string, string>,
  host = 'graph.example',
): { req: HostRequest; res: HostAnswer; cookies: string[] } {
  const all = { host, ...headers };
  const cookies: string[] = [];
  const req = { ip: '192.0.2.1', host, headers: all, rawHeaders: Object.entries(all).flat() };
  const res = {
    destroyed: false,
    once: () => undefined,
    appendHeader: (_name: string, value: string) => cookies.push(value),
  };
  return { req: req as never, res: res as never, cookies };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, string>;
  readonly cookies: readonly string[];
  readonly errors: readonly { readonly extensions?: Record<string, unknown> }[] | undefined;
}

async function ask(query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { req, res, cookies } = exchange(headers);
  const { http, body } = await server.executeOperation({ query }, { contextValue: open({ req, res }) });
  if (body.kind !== 'single') throw new Error('The answer comes in parts');
  const { errors } = body.singleResult;
  return { status: http.status, headers: Object.fromEntries(http.headers), cookies, errors };
}

describe('the options of an application', () => {
  it('need nothing of Portico where there is no schema, and both parts where there is one', () => {
    const lacking = (...parts: ('context' | 'plugins')[]): Portico => {
      const made = new Portico(portico.settings, portico.observation);
      for (const part of parts) expect(made.with(part, part)).toBe(part);
      return made;
    };
    expect(() => {
      lacking().requireParts(false);
      lacking('context', 'plugins').requireParts(true);
      lacking('context', 'plugins').requireParts(false);
    }).not.toThrow();
    const context = 'context: porticoContext(portico)';
    const plugins = 'plugins: porticoPlugins(portico)';
    const refusal = (missing: string): string =>
      `The options of the GraphQL module lack ${missing}: see docs/nest.md`;
    expect(() => {
      lacking().requireParts(true);
    }).toThrow(refusal(`${context} and ${plugins}`));
    expect(() => {
      lacking('context').requireParts(true);
    }).toThrow(refusal(plugins));
    expect(() => {
      lacking('plugins').requireParts(false);
    }).toThrow(refusal(context));
  });

  it('have both parts once both were asked for', () => {
    expect(() => {
      portico.requireParts(true);
    }).not.toThrow();
  });
});

describe('the context of a request', () => {
  it('has the request, its answer and its caller, as Express gives them and as Fastify does', () => {
    const { req, res } = exchange({ origin: PAGE });
    expect(open({ req, res })).toMatchObject({ req, res, network: '192.0.2.1', origin: { origin: PAGE } });
    expect(open(req, res)).toMatchObject({ req, res, network: '192.0.2.1', origin: { origin: PAGE } });
  });

  it('is refused for a request that can be read in two ways', () => {
    const { req, res } = exchange({ origin: 'https://a.example https://b.example' });
    expect(() => open({ req, res })).toThrow(
      expect.objectContaining({
        message: 'Origin is not one origin',
        originalError: expect.objectContaining({ code: 'BAD_REQUEST' }),
        extensions: { http: { status: 400 } },
      }),
    );
  });

  it('fails as it is where something else goes wrong', () => {
    const { res } = exchange({});
    expect(() => open({ req: undefined as never, res })).toThrow(TypeError);
  });
});

describe('a page of a foreign origin', () => {
  const foreign = { origin: 'https://foreign.example' };

  it.each([
    ['a mutation of Portico', 'mutation { login }', {}],
    ['one among others', 'mutation { order logout }', {}],
    ['one in a fragment', 'mutation { ... { login } }', {}],
    ['one of the application, with the cookie of a session', 'mutation { order }', { cookie: COOKIE }],
  ])('may not send %s', async (_what, query, headers) => {
    expect(await ask(query, { ...foreign, ...headers })).toMatchObject({
      status: 403,
      errors: [{ message: expect.stringContaining('needs an allowed Origin') }],
    });
    expect((await ask(query, { origin: PAGE, ...headers })).errors).toBeUndefined();
  });

  it.each([
    ['a mutation of the application without a cookie', 'mutation { order }', {}],
    ['a query, with the cookie of a session', '{ ok }', { cookie: COOKIE }],
  ])('may send %s', async (_what, query, headers) => {
    expect((await ask(query, { ...foreign, ...headers })).errors).toBeUndefined();
  });
});

describe('the answer to an operation', () => {
  it('has the cookie of a new session', async () => {
    const { cookies } = await ask('{ started }');
    expect(cookies).toEqual([expect.stringMatching(/^portico=handle; Max-Age=60;/)]);
    expect((await ask('{ ok }')).cookies).toEqual([]);
  });

  it('may not be cached if it has to do with a session, and otherwise as the application says', async () => {
    for (const field of ['started', 'used', 'looked']) {
      expect((await ask(`{ ${field} }`)).headers).toMatchObject({ 'cache-control': 'private, no-store' });
    }
    expect((await ask('{ ok }')).headers['cache-control']).not.toContain('private');
  });

  it('says when to try again if one of its errors does', async () => {
    expect((await ask('{ plain late }')).headers['retry-after']).toBe('7');
    expect((await ask('{ plain }')).headers).not.toHaveProperty('retry-after');
    expect((await ask('{ ok }')).headers).not.toHaveProperty('retry-after');
  });

  it('is reported with the kind of the operation and the code of its first error', async () => {
    await ask('{ ok }');
    await ask('{ plain late }');
    await ask('mutation { order }');
    await ask('{ unknown }');
    expect(answered).toEqual([
      ['query', undefined],
      ['query', 'NOT_FOUND'],
      ['mutation', undefined],
      [undefined, 'GRAPHQL_VALIDATION_FAILED'],
    ]);
  });
});
