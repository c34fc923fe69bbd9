import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startLargePlatform } from '../../support/embedded-platform/large-platform.js';
import { startScriptedPlatform } from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const ALL_FIELDS = 'id name alias description status dateCreated dateModified owner { id name } raw';
const aliases = (count: number, selected: string): string =>
  `{ ${Array.from({ length: count }, (_, number) => `a${number}: projects { ${selected} }`).join(' ')} }`;

describe('an answer', () => {
  let app: TestApp;
  let handle: string;
  beforeAll(async () => {
    const platform = await startLargePlatform(5000);
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    handle = await bearerHandle(app.graphql, { username: 'large', password: 'x' });
  });
  afterAll(() => app.close());

  it('may have every field of 5,000 projects once', async () => {
    const { data, errors } = await app.graphql(`{ projects { ${ALL_FIELDS} } }`, { handle });
    expect(errors).toBeUndefined();
    expect(data.projects).toHaveLength(5000);
    expect(data.projects[4999]).toMatchObject({
      name: 'Project 4999',
      dateCreated: '2015-06-30T21:55:35.000Z',
      owner: { name: 'Owner 39' },
      raw: { name: 'Project 4999' },
    });
  });

  it('that would be too large has its small fields, and an error for each large one', async () => {
    const limit = 8 * 1024 * 1024;
    const query = aliases(9, 'raw').replace('{', '{ me { id }');
    const { data, errors, status } = await app.graphql(query, { handle });
    const { me, ...lists } = data;
    expect(me).toEqual({ id: expect.any(String) });
    expect(Object.values(lists)).toEqual(Array(9).fill(null));
    expect(errors).toHaveLength(9);
    expect(status).toBe(200);
    for (const error of errors ?? []) {
      expect(error.message).toBe(
        `The answer would have more than ${limit} bytes (GRAPHQL_MAX_ANSWER_BYTES): request less data`,
      );
      expect(error.extensions).toEqual({
        code: 'GRAPHQL_VALIDATION_FAILED',
        reason: 'ANSWER_TOO_LARGE',
        retryable: false,
        requestId: expect.any(String),
      });
    }
  });

  it('counts an entity each time it is requested', async () => {
    const one = { __typename: 'Project', id: '0'.padStart(32, 'A') };
    const { data, errors } = await app.graphql(
      'query ($keys: [_Any!]!) { _entities(representations: $keys) { ... on Project { id raw } } }',
      { handle, variables: { keys: Array(100).fill(one) } },
    );
    expect(errors).toBeUndefined();
    expect(data._entities).toHaveLength(100);
  });
});

describe('the limits of an answer', () => {
  it('and their errors are the same once the document is compiled', async () => {
    const platform = await startLargePlatform(20);
    const app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, GRAPHQL_MAX_ANSWER_BYTES: '20000' });
    const handle = await bearerHandle(app.graphql, { username: 'large', password: 'x' });
    const texts = new Set<string>();
    let last: Answer | undefined;
    for (let time = 0; time < 12; time += 1) {
      last = await app.graphql(aliases(9, 'id raw'), {
        handle,
        headers: { 'x-request-id': 'the-same-request' },
      });
      texts.add(last.text);
    }
    expect(texts.size).toBe(1);
    expect(last?.errors?.[0]?.extensions).toEqual({
      code: 'GRAPHQL_VALIDATION_FAILED',
      reason: 'ANSWER_TOO_LARGE',
      retryable: false,
      requestId: 'the-same-request',
    });
    await app.close();
  });

  it('are settings, and count values as well as bytes', async () => {
    const platform = await startLargePlatform(20);
    const app = await startApp({
      PLATFORM_BASE_URL: platform.baseUrl,
      GRAPHQL_MAX_ANSWER_NODES: '50',
      GRAPHQL_MAX_ANSWER_BYTES: '3000',
    });
    const handle = await bearerHandle(app.graphql, { username: 'large', password: 'x' });
    const said = async (query: string): Promise<(string | undefined)[]> =>
      ((await app.graphql(query, { handle })).errors ?? []).map(({ message }) => message.split(':')[0]);
    expect(await said('{ projects { id } }')).toEqual([]);
    expect(await said('{ projects { id name } me { id } }')).toEqual([
      'The answer would have more than 50 values (GRAPHQL_MAX_ANSWER_NODES)',
    ]);
    expect(await said('{ a: projects { description } b: me { raw } }')).toEqual([]);
    const one = { __typename: 'Project', id: '0'.padStart(32, 'A') };
    const entities =
      'query ($keys: [_Any!]!) { _entities(representations: $keys) { ... on Project { raw } } }';
    const { errors } = await app.graphql(entities, { handle, variables: { keys: Array(20).fill(one) } });
    expect(errors?.[0]?.extensions.reason).toBe('ANSWER_TOO_LARGE');
    await app.close();
  });
});

describe('an object of the platform that is nested 5,000 levels deep', () => {
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  const json = { 'content-type': 'application/json' };

  it.each(['one time', 'compiled'])('is an error of its field alone (%s)', async (how) => {
    const platform = await startScriptedPlatform({
      'POST auth/login': { status: 204, headers: { 'x-svc-authtoken': 'a-token' } },
      'GET projects': { status: 200, headers: json, body: `[{"id":"1","name":"deep","more":${deep}}]` },
      'GET sessions/userInfo': { status: 200, headers: json, body: `{"id":"1","more":${deep}}` },
      'GET sessions': { status: 200, body: { id: '1', timeout: 60 } },
    });
    const app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl });
    const handle = await bearerHandle(app.graphql, { username: 'deep', password: 'x' });
    const query = '{ me { id raw } projects { id raw } sessionStatus { timeoutSeconds raw } }';
    if (how === 'compiled') for (let time = 0; time < 9; time += 1) await app.graphql(query, { handle });
    const { status, data, errors } = await app.graphql(query, { handle });
    expect(status).toBe(200);
    expect(data).toEqual({
      me: null,
      projects: null,
      sessionStatus: { timeoutSeconds: 60, raw: { id: '1', timeout: 60 } },
    });
    expect(errors?.map(({ path }) => path?.[0]).sort()).toEqual(['me', 'projects']);
    for (const error of errors ?? []) {
      expect(error.extensions.code).toBe('UPSTREAM_PROTOCOL');
      expect(error.message).toBe('The response of the platform is nested more than 64 levels deep.');
    }
    await app.close();
  });
});
