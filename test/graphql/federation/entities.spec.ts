import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import {
  type CountedPlatform,
  startCountedPlatform,
} from '../../support/embedded-platform/platform-call-counter.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on Project { id name } }
}`;
function keys(ids: readonly unknown[]): Record<string, unknown> {
  return { representations: ids.map((id) => ({ __typename: 'Project', id })) };
}

function idsOf(projects: readonly ({ id: string } | null)[]): (string | undefined)[] {
  return projects.map((project) => project?.id);
}

describe('projects by their keys', () => {
  let platform: CountedPlatform;
  let app: TestApp;
  let handle: string;
  let ids: (string | undefined)[];
  beforeAll(async () => {
    platform = await startCountedPlatform();
    app = await startApp({ PLATFORM_BASE_URL: platform.baseUrl, FEDERATION_MAX_REPRESENTATIONS: '100' });
    handle = await bearerHandle(app.graphql, { username: 'many-projects', password: 'demo' });
    const { data } = await app.graphql('{ projects { id } }', { handle });
    ids = idsOf(data.projects);
  });
  beforeEach(() => {
    platform.calls();
  });
  afterAll(async () => {
    await app.close();
    await platform.close();
  });

  it('cost one GET projects an operation: 500 keys over 5 operations cost 5', async () => {
    for (let operation = 0; operation < 5; operation += 1) {
      const wanted = ids.slice(operation * 100, operation * 100 + 100);
      const { data, errors } = await app.graphql(ENTITIES, { handle, variables: keys(wanted) });
      expect(errors).toBeUndefined();
      expect(idsOf(data._entities)).toEqual(wanted);
    }
    expect(platform.calls()).toEqual({ 'GET projects': 5 });
  });

  it('cost no more with all root fields beside them', async () => {
    const [id = ''] = ids;
    const { data, errors } = await app.graphql(
      `query ($representations: [_Any!]!, $id: ID!) {
        first: _entities(representations: $representations) { ... on Project { id } }
        second: _entities(representations: $representations) { ... on Project { name } }
        projects { id } project(id: $id) { name } projectId(name: "no such project")
      }`,
      { handle, variables: { ...keys(ids.slice(0, 50)), id } },
    );
    expect(errors).toBeUndefined();
    expect(data.first).toHaveLength(50);
    expect(data.projects).toHaveLength(5_000);
    expect(platform.calls()).toEqual({ 'GET projects': 1 });
  });

  it('cost one GET projects for each session, however many ask at once', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, () => bearerHandle(app.graphql, { username: 'demo', password: 'demo' })),
    );
    platform.calls();
    await Promise.all(
      [handle, ...others].map((own) =>
        app.graphql(ENTITIES, { handle: own, variables: keys(ids.slice(0, 20)) }),
      ),
    );
    expect(platform.calls()).toEqual({ 'GET projects': 5 });
  });

  it('are null when they are unknown, and keep their places', async () => {
    const [known] = ids;
    const { data, errors } = await app.graphql(ENTITIES, {
      handle,
      variables: keys(['unknown', known, 'X'.repeat(10_000), '', known]),
    });
    expect(errors).toBeUndefined();
    expect(idsOf(data._entities)).toEqual([undefined, known, undefined, undefined, known]);
  });

  it.each([
    ['an object', { $ne: null }],
    ['a list', [['A']]],
    ['a number', 1e300],
    ['true', true],
    ['null', null],
    ['nothing', undefined],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['a control character', '\0\r\nX-Evil: 1'],
  ])('are null where the id is %s', async (_kind, id) => {
    const { data, errors } = await app.graphql(ENTITIES, { handle, variables: keys([id]) });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ _entities: [null] });
  });

  it('are not found by a representation that plants properties', async () => {
    const literal = '{ __typename: "Project", id: "X", __proto__: { id: "Y", polluted: true } }';
    const { data } = await app.graphql(
      `{ _entities(representations: [${literal}]) { ... on Project { id } } }`,
      {
        handle,
      },
    );
    expect(data).toEqual({ _entities: [null] });
    const poisoned = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}` },
      body: `{"query":${JSON.stringify(ENTITIES)},"variables":{"representations":[{"__typename":"Project","id":"X","__proto__":{"polluted":true}}]}}`,
    });
    expect(await poisoned.text()).not.toContain('polluted');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('are refused to a caller without a session, by one error and without a call of the platform', async () => {
    for (const stranger of [undefined, 'A'.repeat(43), 'not a handle']) {
      const { data, errors } = await app.graphql(ENTITIES, { handle: stranger, variables: keys(['A', 'B']) });
      expect(data).toEqual({ _entities: [null, null] });
      expect(errors).toHaveLength(1);
      expect(errors?.[0]).toMatchObject({
        path: ['_entities', 0],
        extensions: { code: 'UNAUTHENTICATED', reason: 'NO_SESSION' },
      });
    }
    expect(platform.calls()).toEqual({});
  });

  describe('are not given', () => {
    const expectRefusal = async (
      query: string,
      variables: Record<string, unknown>,
      message: string,
    ): Promise<void> => {
      const headers = { accept: 'application/graphql-response+json' };
      const { status, data, errors } = await app.graphql(query, { handle, variables, headers });
      expect({ status, message: errors?.map((error) => error.message) }).toEqual({
        status: 200,
        message: [message],
      });
      expect(errors?.[0]?.path?.at(-1)).toBe(0);
      const entities = Object.values(data).at(-1) as unknown[];
      expect(entities.every((entity) => entity === null)).toBe(true);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', retryable: false });
      expect(platform.calls()).toEqual({});
    };
    const tooMany = 'One operation may request at most 100 entities (FEDERATION_MAX_REPRESENTATIONS)';
    const noEntity =
      'Each representation must be an object whose __typename is an entity type of this subgraph';

    it('to an operation that asks for more than 100', () =>
      expectRefusal(ENTITIES, keys(Array<string>(101).fill('X')), tooMany));

    it('to one that asks for more than 100 under several names, some in fragments', () =>
      expectRefusal(
        `query Large($some: [_Any!]!) { a: _entities(representations: $some) { __typename } ...More }
         fragment More on Query { b: _entities(representations: $some) { __typename } c: _entities(representations: $some) { __typename } }`,
        { some: keys(Array<string>(101).fill('X')).representations },
        tooMany,
      ));

    it('to one whose default asks for more than 100', () => {
      const literals = Array<string>(101).fill('{ __typename: "Project", id: "X" }').join(' ');
      return expectRefusal(
        `query ($some: [_Any!]! = [${literals}]) { _entities(representations: $some) { __typename } }`,
        {},
        tooMany,
      );
    });

    it.each(['User', 'Query', '__proto__', '__Schema', 'Nothing', 5, null])(
      'for a representation of %p',
      (typeName) =>
        expectRefusal(ENTITIES, { representations: [{ __typename: typeName, id: 'X' }] }, noEntity),
    );

    it.each(['Project', 5, true, [[]]])('for %p in place of a representation', (representation) =>
      expectRefusal(ENTITIES, { representations: [representation] }, noEntity),
    );
  });

  it('are counted in the operation that runs, not in others of its document', async () => {
    const many = Array<string>(101).fill('{ __typename: "Project", id: "X" }').join(' ');
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${handle}` },
      body: JSON.stringify({
        query: `query Small($few: [_Any!]!) { _entities(representations: $few) { __typename } }
          query Large($other: String!) { _entities(representations: [${many}]) { __typename } projectId(name: $other) }`,
        operationName: 'Small',
        variables: { few: keys(['X']).representations },
      }),
    });
    expect(await response.json()).toEqual({ data: { _entities: [null] } });
  });
});
