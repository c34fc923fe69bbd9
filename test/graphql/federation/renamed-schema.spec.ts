import { buildSchema, graphqlSync, type GraphQLSchema, parse, print, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  type NamePrefixes,
  prefixedSdl,
  prefixNames,
} from '../../../src/graphql/federation/name-prefixes.js';
import { describeRootTypes, editSubgraphSdl } from '../../../src/graphql/federation/subgraph-sdl.js';

const SDL = `
directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
directive @shareable on OBJECT
directive @tag(fields: String) on OBJECT

scalar DateTime

type Query {
  me(order: Order, filter: Filter): User!
  projects: [Project!]!
  _service: _Service!
}

type Mutation {
  login(filter: Filter!): User!
}

type User @tag(fields: "id") {
  id: ID!
  projects: [Project!]!
  created: DateTime!
}

type Project @tag @key(fields: "id") {
  id: ID!
  owner: User!
}

type Page @shareable {
  hasNext: Boolean!
}

type _Service {
  sdl: String
}

enum Order {
  NAME
}

enum link__Purpose {
  SECURITY
}

input Filter {
  order: Order!
}
`;

const FIELDS = {
  'me(': 'analyticsMe(',
  '  projects: [Project!]!\n  _s': '  analyticsProjects: [Project!]!\n  _s',
  'login(': 'analyticsLogin(',
};
const TYPES = { User: 'AnalyticsUser', Order: 'AnalyticsOrder', Filter: 'AnalyticsFilter' };

/** A text with some of its words replaced. */
const replaced = (text: string, words: Record<string, string>): string =>
  Object.entries(words).reduce((changed, [word, by]) => changed.replaceAll(word, by), text);

describe('names with a prefix', () => {
  it.each<[string, NamePrefixes, Record<string, string>]>([
    ['none', { field: undefined, type: undefined }, {}],
    ['the root fields', { field: 'analytics', type: undefined }, FIELDS],
    ['the types that are not shared', { field: undefined, type: 'Analytics' }, TYPES],
    ['both', { field: 'analytics', type: 'Analytics' }, { ...FIELDS, ...TYPES }],
  ])('are those of %s, in the schema that runs as in the SDL', (_which, prefixes, words) => {
    const expected = replaced(SDL, words);
    expect(printSchema(prefixNames(prefixes)(buildSchema(SDL)))).toBe(printSchema(buildSchema(expected)));
    expect(print(prefixedSdl(prefixes)(parse(SDL)))).toBe(print(parse(expected)));
  });

  it('leave the schema as it is where there is no prefix', () => {
    const schema = buildSchema(SDL);
    expect(prefixNames({ field: undefined, type: undefined })(schema)).toBe(schema);
  });
});

describe('the SDL that routers read', () => {
  const NO_PREFIXES = { field: undefined, type: undefined };

  function schemaWith(sdl: string): GraphQLSchema {
    const schema = buildSchema('type Query { _service: _Service! } type _Service { sdl: String }');
    Object.assign(schema.getQueryType()?.getFields()._service ?? {}, { resolve: () => ({ sdl }) });
    return schema;
  }

  /** The SDL as it is edited, without the descriptions. */
  function edited(sdl: string, prefixes: NamePrefixes = NO_PREFIXES): string {
    const schema = editSubgraphSdl(prefixes)(schemaWith(sdl));
    const { data } = graphqlSync({ schema, source: '{ _service { sdl } }' });
    return (data?._service as { sdl: string }).sdl;
  }

  const types = (sdl: string): string => print(parse(sdl));
  const keys =
    'directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT\ndirective @tag(fields: String) on OBJECT\n';

  it.each([
    ['all but the key', '@key(fields: "id")', 'id: ID! name: String ids: [ID!]'],
    ['all but a key of two fields', '@key(fields: "id  name")', 'id: ID! name: String! ids: [ID!]'],
    [
      'all but several keys',
      '@key(fields: "id") @key(fields: "name", resolvable: false)',
      'id: ID! name: String! ids: [ID!]',
    ],
    [
      'all but a key with fields of its own',
      '@key(fields: "{id\\n{ids}}")',
      'id: ID! name: String ids: [ID!]!',
    ],
    ['nothing of a type without a key', '@tag(fields: "id")', 'id: ID! name: String! ids: [ID!]!'],
    ['nothing of a type without directives', '', 'id: ID! name: String! ids: [ID!]!'],
  ])('lets %s be missing', (_what, directives, expected) => {
    const sdl = `${keys} type Item ${directives} { id: ID! name: String! ids: [ID!]! }`;
    expect(edited(sdl)).toBe(types(`${keys} type Item ${directives} { ${expected} }`));
  });

  it('lets every mutation be missing, and no query', () => {
    const text = edited('type Query { a: Int! } type Mutation { a: Int! b: [Int!]! c: Int }');
    expect(text).toContain('type Query {\n  a: Int!\n}');
    expect(text).toContain('type Mutation {\n  a: Int\n  b: [Int!]\n  c: Int\n}');
  });

  it('has descriptions of the root types, as the schema that runs, and prefixes', () => {
    const text = edited(SDL, { field: 'analytics', type: 'Analytics' });
    const [query, mutation] = [
      /"""\n?What can be read.*\n?"""\ntype Query/,
      /"""\n?Starts, extends.*\n?"""\ntype Mutation/,
    ];
    expect(text).toMatch(query);
    expect(text).toMatch(mutation);
    expect(text).toContain('analyticsMe(order: AnalyticsOrder');
    const described = printSchema(describeRootTypes(buildSchema(SDL)));
    expect(described).toMatch(query);
    expect(described).toMatch(mutation);
    const alone = describeRootTypes(buildSchema('type Query { a: Int }'));
    expect(alone.getQueryType()?.description).toMatch(/^What can be read/);
  });

  it('is none of a schema that has none', () => {
    const schema = buildSchema('type Query { a: Int }');
    expect(editSubgraphSdl(NO_PREFIXES)(schema)).toBe(schema);
  });
});
