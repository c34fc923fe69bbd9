import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const subgraph = buildSchema(await readFile(new URL('../../../subgraph.gql', import.meta.url), 'utf8'));
const own = (type: GraphQLObjectType | null | undefined): string[] =>
  Object.keys(type?.getFields() ?? {}).filter((name) => !name.startsWith('_'));
const prefixed = (name: string): string => `analytics${name.charAt(0).toUpperCase()}${name.slice(1)}`;

describe('a prefix of the root fields', () => {
  let app: TestApp;
  beforeAll(async () => (app = await startApp({ FIELD_PREFIX: 'analytics' })));
  afterAll(() => app.close());

  it('is in front of every query and mutation of the SDL that routers read, and of nothing else', async () => {
    const { data } = await app.graphql('{ _service { sdl } }');
    const schema = buildSchema(data._service.sdl);
    expect(own(schema.getQueryType())).toEqual(own(subgraph.getQueryType()).map(prefixed));
    expect(own(schema.getMutationType())).toEqual(own(subgraph.getMutationType()).map(prefixed));
    expect(Object.keys(schema.getTypeMap())).toEqual(Object.keys(subgraph.getTypeMap()));
    expect(schema.getType('Project')).toMatchObject({
      astNode: { directives: [{ name: { value: 'key' } }] },
    });
  });

  it('is in front of the same fields when they are asked for', async () => {
    const { data } = await app.graphql(
      '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }',
    );
    const names = (fields: { name: string }[]): string[] => fields.map(({ name }) => name).sort();
    expect(names(data.__schema.queryType.fields)).toEqual(
      own(subgraph.getQueryType()).map(prefixed).concat('_entities', '_service').sort(),
    );
    expect(names(data.__schema.mutationType.fields)).toEqual(
      own(subgraph.getMutationType()).map(prefixed).sort(),
    );
    expect((await app.graphql('{ me { id } }')).errors?.[0]?.extensions.code).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
  });

  it('changes nothing of what they do', async () => {
    const login = await app.graphql(
      'mutation { analyticsLogin(input: {username: "demo", password: "demo", transport: BEARER}) { handle projects { id name } } }',
    );
    const { handle, projects } = login.data.analyticsLogin;
    const [project] = projects;
    const { data, errors } = await app.graphql(
      `query ($id: ID!, $representations: [_Any!]!) {
        analyticsHasSession analyticsMe { fullName } analyticsProject(id: $id) { id name }
        _entities(representations: $representations) { ... on Project { id name dateCreated } }
      }`,
      { handle, variables: { id: project.id, representations: [{ __typename: 'Project', id: project.id }] } },
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      analyticsHasSession: true,
      analyticsMe: { fullName: expect.any(String) },
      analyticsProject: project,
      _entities: [{ ...project, dateCreated: expect.any(String) }],
    });
    const logout = await app.graphql('mutation { analyticsLogout { loggedOut } }', { handle });
    expect(logout.data.analyticsLogout).toEqual({ loggedOut: true });
  });
});

describe('a prefix of the types', () => {
  const KEPT = ['Query', 'Mutation', 'Project', 'PageInfo', 'DateTime', 'JSONObject'];
  let app: TestApp;
  beforeAll(async () => (app = await startApp({ TYPE_PREFIX: 'Analytics', FIELD_PREFIX: 'analytics' })));
  afterAll(() => app.close());

  it('is in front of all types but those that a graph shares, in the SDL as in the schema that runs', async () => {
    const { data } = await app.graphql('{ _service { sdl } __schema { types { name } } }');
    const isOurs = (name: string): boolean =>
      !/^_|^link__|^federation__|^(?:String|Int|Float|Boolean|ID)$/.test(name);
    const expected = Object.keys(subgraph.getTypeMap())
      .filter(isOurs)
      .map((name) => (KEPT.includes(name) ? name : `Analytics${name}`));
    expect(Object.keys(buildSchema(data._service.sdl).getTypeMap()).filter(isOurs).sort()).toEqual(
      expected.sort(),
    );
    const running = (data.__schema.types as { name: string }[]).map(({ name }) => name);
    expect(running.filter(isOurs).sort()).toEqual(expected);
  });

  it('changes nothing of what they do', async () => {
    const { data, errors } = await app.graphql(
      `mutation ($input: AnalyticsLoginInput!) {
        analyticsLogin(input: $input) { __typename handle me { __typename fullName } projects { __typename id } }
      }`,
      { variables: { input: { username: 'demo', password: 'demo', transport: 'BEARER' } } },
    );
    expect(errors).toBeUndefined();
    const { handle, projects, ...login } = data.analyticsLogin;
    expect(login).toEqual({
      __typename: 'AnalyticsAuthPayload',
      me: { __typename: 'AnalyticsUser', fullName: 'Dana Demo' },
    });
    const page = await app.graphql(
      `query ($order: AnalyticsProjectOrder!, $representations: [_Any!]!) {
        analyticsProjectsConnection(first: 1, orderBy: $order) { nodes { name } pageInfo { __typename hasNextPage } }
        _entities(representations: $representations) { ... on Project { id owner { __typename } } }
      }`,
      { handle, variables: { order: 'NAME_DESC', representations: [projects[0]] } },
    );
    expect(page.errors).toBeUndefined();
    expect(page.data).toEqual({
      analyticsProjectsConnection: {
        nodes: [{ name: expect.any(String) }],
        pageInfo: { __typename: 'PageInfo', hasNextPage: true },
      },
      _entities: [{ id: projects[0].id, owner: { __typename: 'AnalyticsProjectOwner' } }],
    });
    const refused = await app.graphql('mutation { analyticsLogin(input: { password: "x" }) { handle } }');
    expect(refused.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});
