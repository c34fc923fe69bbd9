import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOMBS, MANY_LOGINS } from '../../support/graphql/hostile-documents.js';
import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

/** Of the processor, which does not depend on what else a machine does: far more than any of them takes, far less than one that blows up. */
const MOST_CPU_MS = 5_000;

describe('a hostile document', () => {
  let platform: ScriptedPlatform;
  let app: TestApp;
  beforeAll(async () => {
    platform = await startScriptedPlatform({});
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    await app.graphql('{ hasSession }');
  });
  afterAll(() => app.close());

  it.each(MANY_LOGINS)(
    'with more than one login, by $what, is refused and the platform is not asked',
    async ({ query }) => {
      const answer = await app.graphql(query, { variables: { y: true } });
      expect(answer.status).toBe(400);
      expect(answer.data).toBeUndefined();
      expect(answer.errors).toHaveLength(1);
      expect(answer.errors?.[0]?.extensions).toMatchObject({ reason: 'LIMIT_EXCEEDED', retryable: false });
      expect(platform.connections).toBe(0);
    },
  );

  it('with more than one login in a batch is refused and the platform is not asked', async () => {
    const login = { query: 'mutation { login(input: {username: "demo", password: "a"}) { handle } }' };
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Array(200).fill(login)),
    });
    expect(response.status).toBe(400);
    expect(platform.connections).toBe(0);
  });

  it.each(BOMBS)('of $what is refused at once and keeps nobody waiting', async ({ query }) => {
    const before = process.cpuUsage();
    const answer = await app.graphql(query);
    const { user, system } = process.cpuUsage(before);

    expect([400, 413]).toContain(answer.status);
    expect(answer.data).toBeUndefined();
    expect(answer.errors?.length).toBeGreaterThan(0);
    expect((user + system) / 1000).toBeLessThan(MOST_CPU_MS);
    expect(platform.connections).toBe(0);
  });
});

describe('a document of a real page', () => {
  let app: TestApp;
  beforeAll(async () => (app = await startApp()));
  afterAll(() => app.close());

  it.each([
    [
      'everything after a login',
      `mutation { login(input: {username: "demo", password: "demo"}) {
      handle expiresAt me { id fullName initials raw } sessionStatus { id fullName timeoutSeconds locale raw }
      projects { id name alias description status dateCreated dateModified owner { id name } raw } } }`,
    ],
    [
      '15 look-ups by name',
      `{ ${Array.from({ length: 15 }, (_, n) => `p${n}: projectId(name: "Project ${n}")`).join(' ')} }`,
    ],
    [
      'ten projects by id',
      `{ ${Array.from({ length: 10 }, (_, n) => `p${n}: project(id: "${n}") { ...P }`).join(' ')} }
      fragment P on Project { id name alias description status dateCreated dateModified owner { id name } }`,
    ],
    ['a typename in a mutation', 'mutation { __typename login(input: {}) { __typename expiresAt } }'],
    ['several queries of which one runs', 'query A { hasSession } query B { hasSession }'],
  ])('may ask for %s', async (_what, query) => {
    const { errors } = await app.graphql(query);
    const codes = errors?.map(({ extensions }) => extensions.code) ?? [];
    // Some of these ask for a session that is not there, or leave the choice of an operation open.
    expect(codes.filter((code) => code !== 'UNAUTHENTICATED' && code !== 'BAD_REQUEST')).toEqual([]);
  });

  it('may read the schema as the tools of the field do', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const options = {
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    };
    const { data, errors } = await app.graphql(getIntrospectionQuery(options));
    expect(errors).toBeUndefined();
    expect(data.__schema.queryType.name).toBe('Query');
  });

  it('may read each part of the schema four times, and any number of types', async () => {
    for (const query of [
      '{ a: __schema { types { name } } b: __schema { a: types { name } types { b: name a: name } } }',
      `{ ${Array.from({ length: 15 }, (_, n) => `t${n}: __type(name: "Query") { fields { name } }`).join(' ')} }`,
    ]) {
      const { status, errors } = await app.graphql(query);
      expect(errors).toBeUndefined();
      expect(status).toBe(200);
    }
  });
});

describe('the limits', () => {
  it('are settings', async () => {
    const app = await startApp({
      GRAPHQL_MAX_TOKENS: '40',
      GRAPHQL_MAX_DEPTH: '1',
      GRAPHQL_MAX_ALIASES: '2',
      GRAPHQL_MAX_DIRECTIVES: '0',
      GRAPHQL_MAX_ROOT_FIELDS: '3',
      GRAPHQL_MAX_COST: '2',
      HTTP_BODY_LIMIT_BYTES: '200',
    });
    const said = async (query: string): Promise<string | undefined> =>
      (await app.graphql(query)).errors?.[0]?.message;
    expect(await said('{ hasSession }')).toBeUndefined();
    expect(await said(`{ ${'a '.repeat(39)} }`)).toBe('The document has more than 40 tokens');
    expect(await said('{ me { id } }')).toBe('The document is more than 1 levels deep');
    expect(await said('{ hasSession hasSession hasSession }')).toBe(
      'The document selects one field more than 2 times',
    );
    expect(await said('{ hasSession @skip(if: false) }')).toBe('The document has more than 0 directives');
    expect(await said('{ a b c d }')).toBe('The document has more than 3 root fields');
    expect(await said('{ a b c }')).toBe('The document costs more than 2');
    expect(await said(' '.repeat(200))).toMatch(/^The request body is too large \(HTTP_BODY_LIMIT_BYTES, /);
    await app.close();
  });
});
