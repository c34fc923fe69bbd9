import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildASTSchema, type GraphQLSchema, type GraphQLObjectType, parse } from 'graphql';
import { composeSupergraph, USUAL_URLS } from '../../../examples/federation/compose.ts';
import { RATINGS_SDL } from '../../../examples/federation/ratings-subgraph.ts';
import { COMPOSERS, type Subgraph } from '../../support/graphql/composers.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const FEDERATION = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])';
/** A graph whose `me`, `projects` and `login` are taken. */
const TAKEN: Subgraph = {
  name: 'accounts',
  sdl: `${FEDERATION} type Query { me: Account projects: [String!] } type Mutation { login: Account } type Account { email: String }`,
};

/** A graph that has types of these names already. */
const OWNER: Subgraph = {
  name: 'people',
  sdl: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable"])
    scalar DateTime
    type Query { people(after: String): [User!] now: DateTime }
    type Mutation { signIn(input: LoginInput!): AuthPayload! }
    type User @key(fields: "email") { email: ID! session: Session! age: Int! }
    type Session { id: ID! startedAt: DateTime device: String! }
    input LoginInput { email: String! code: Int! }
    type AuthPayload { user: User! token: String! pageInfo: PageInfo }
    enum ProjectOrder { RANK }
    type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }`,
};

function fields(schema: GraphQLSchema, type: string): string[] {
  return Object.keys((schema.getType(type) as GraphQLObjectType).getFields());
}

/** Composers print what they need beside the schema, so it is not validated. */
function built(sdl: string | undefined): GraphQLSchema {
  return buildASTSchema(parse(sdl ?? ''), { assumeValid: true, assumeValidSDL: true });
}

describe('the subgraph', () => {
  let portico: Subgraph;
  let prefixed: Subgraph;
  let apart: Subgraph;
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ FIELD_PREFIX: 'analytics' });
    const other = await startApp({ TYPE_PREFIX: 'Analytics' });
    const { data } = await app.graphql('{ _service { sdl } }');
    prefixed = { name: 'portico', sdl: data._service.sdl };
    apart = { name: 'portico', sdl: (await other.graphql('{ _service { sdl } }')).data._service.sdl };
    await other.close();
    portico = { name: 'portico', sdl: await read('subgraph.gql') };
  });
  afterAll(() => app.close());

  it('is pinned to a version that every composer reads, with the directives named', () => {
    const [link] = /extend schema @link\(.*\)/.exec(portico.sdl) ?? [];
    expect(link).toBe(
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external", "@requires", "@provides", "@inaccessible", "@tag", "@override"])',
    );
  });

  describe.each(COMPOSERS)('in %s', (_name, compose) => {
    it('composes with one that extends Project', () => {
      const { schema, errors } = compose([portico, { name: 'ratings', sdl: RATINGS_SDL }]);
      expect(errors).toEqual([]);
      const graph = built(schema);
      expect(fields(graph, 'Project')).toEqual(expect.arrayContaining(['id', 'name', 'rating', 'raw']));
      expect(fields(graph, 'Query')).toEqual(expect.arrayContaining(['me', 'projects', 'topRated']));
      expect(fields(graph, 'Mutation')).toEqual(expect.arrayContaining(['login', 'logout', 'rate']));
    });

    it('composes with one that has pasted the stub of the documentation', async () => {
      const [, pasted = ''] =
        /```graphql\n(\s*type Project @key\([^`]*)```/.exec(await read('docs/federation.md')) ?? [];
      const stub = pasted.replaceAll(/\s+/g, ' ').trim();
      expect(stub).toBe('type Project @key(fields: "id", resolvable: false) { id: ID! }');
      const sdl = `${FEDERATION} ${stub} type Query { report: Report } type Report { title: String project: Project }`;
      const { schema, errors } = compose([portico, { name: 'reports', sdl }]);
      expect(errors).toEqual([]);
      expect(fields(built(schema), 'Report')).toContain('project');
    });

    it('composes with one whose me and projects are taken by its prefix alone', () => {
      expect(compose([portico, TAKEN]).errors).not.toEqual([]);
      const { schema, errors } = compose([prefixed, TAKEN]);
      expect(errors).toEqual([]);
      const graph = built(schema);
      expect(fields(graph, 'Query')).toEqual(
        expect.arrayContaining(['me', 'projects', 'analyticsMe', 'analyticsProjects']),
      );
      expect(fields(graph, 'Mutation')).toEqual(expect.arrayContaining(['login', 'analyticsLogin']));
    });

    it('composes with one that owns User, Session, LoginInput, AuthPayload, PageInfo and DateTime by its prefix alone', () => {
      expect(compose([portico, OWNER]).errors).not.toEqual([]);
      const { schema, errors } = compose([apart, OWNER, { name: 'ratings', sdl: RATINGS_SDL }]);
      expect(errors).toEqual([]);
      const graph = built(schema);
      expect(fields(graph, 'User')).toEqual(['email', 'session', 'age']);
      expect(fields(graph, 'AnalyticsUser')).toContain('fullName');
      expect(fields(graph, 'Project')).toEqual(expect.arrayContaining(['name', 'rating']));
      expect(String((graph.getType('Query') as GraphQLObjectType).getFields().me?.type)).toBe(
        'AnalyticsUser',
      );
      expect(
        Object.keys(graph.getTypeMap()).filter((name) =>
          /^Analytics(?:PageInfo|DateTime|Project)$/.test(name),
        ),
      ).toEqual([]);
    });
  });

  it('is in the supergraph that is committed as it would be composed now', async () => {
    expect(await read('examples/federation/supergraph.graphql')).toBe(await composeSupergraph(USUAL_URLS));
  });
});
