import { buildSchema, type ExecutionResult, graphql, type GraphQLSchema } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { resolveEntitiesTogether } from '../../../src/graphql/federation/entities.js';

interface Reference {
  readonly __typename: string;
  readonly id: string;
}

const found = vi.fn((references: readonly Reference[]) =>
  Promise.resolve(
    references.map((each) => (each.id === 'none' ? undefined : { ...each, name: `n${each.id}` })),
  ),
);

/** A schema with the entities Project, which are found, and Broken, which are not. */
function schemaOf(limit: number): GraphQLSchema {
  found.mockClear();
  const schema = buildSchema(`
    scalar _Any
    type Project { id: ID! name: String }
    type Broken { id: ID! }
    type Bare { id: ID! }
    union _Entity = Project | Broken | Bare
    type Query { _entities(representations: [_Any!]!): [_Entity]! }
  `);
  const by = (resolveReference: unknown) => ({ extensions: { apollo: { subgraph: { resolveReference } } } });
  Object.assign(schema.getType('Project') ?? {}, by(found));
  Object.assign(
    schema.getType('Broken') ?? {},
    by(() => Promise.reject(new Error('not found'))),
  );
  return resolveEntitiesTogether(limit)(schema);
}

const project = (id: string): object => ({ __typename: 'Project', id });
const entity = (id: string): object => ({ __typename: 'Project', name: `n${id}` });

async function ask(schema: GraphQLSchema, ...lists: unknown[][]): Promise<ExecutionResult> {
  const fields = lists.map(
    (_, n) => `e${n}: _entities(representations: $l${n}) { __typename ... on Project { name } }`,
  );
  const given = lists.map((_, n) => `$l${n}: [_Any!]!`);
  return graphql({
    schema,
    source: `query (${given.join(' ')}) { ${fields.join(' ')} }`,
    variableValues: Object.fromEntries(lists.map((list, n) => [`l${n}`, list])),
    contextValue: {},
  });
}

describe('the entities of an operation', () => {
  it('are found together, in the order in which they were asked for', async () => {
    const { data, errors } = await ask(schemaOf(9), [project('a'), project('none'), project('b')]);
    expect(errors).toBeUndefined();
    expect(data).toEqual({ e0: [entity('a'), null, entity('b')] });
    expect(found).toHaveBeenCalledTimes(1);
  });

  it('that cannot be found are one error at the first of their type, and leave the others alone', async () => {
    const broken = { __typename: 'Broken', id: 'x' };
    const { data, errors } = await ask(schemaOf(9), [project('a'), broken, project('b'), broken]);
    expect(data).toEqual({ e0: [entity('a'), null, entity('b'), null] });
    expect(errors).toMatchObject([{ message: 'not found', path: ['e0', 1] }]);
  });

  it('are counted over all fields: the first that is too many is an error, and none is found from there', async () => {
    const message = 'One operation may request at most 2 entities (FEDERATION_MAX_REPRESENTATIONS)';
    const [two, one] = [[project('a'), project('b')], [project('c')]];
    const { data, errors } = await ask(schemaOf(2), two, one, one);
    expect(data).toEqual({ e0: [entity('a'), entity('b')], e1: [null], e2: [null] });
    expect(errors).toMatchObject([{ message, path: ['e1', 0] }]);
    const three = await ask(schemaOf(2), [...two, ...one]);
    expect(three.data).toEqual({ e0: [null, null, null] });
    expect(three.errors).toMatchObject([{ message, path: ['e0', 0] }]);
    expect(found).not.toHaveBeenCalled();
  });

  it.each([{ __typename: 'Query', id: 'x' }, { __typename: 5 }, { id: 'x' }, 'Project', 5, []])(
    'are told once that one of them is none: %j',
    async (unfit) => {
      const { data, errors } = await ask(schemaOf(9), [project('a'), unfit, unfit]);
      expect(data).toEqual({ e0: [entity('a'), null, null] });
      expect(errors).toMatchObject([
        { message: expect.stringContaining('must be an object whose __typename'), path: ['e0', 1] },
      ]);
    },
  );

  it('need a way to be found', async () => {
    const { errors } = await ask(schemaOf(9), [{ __typename: 'Bare', id: 'x' }]);
    expect(errors).toMatchObject([{ message: 'Bare has no @ResolveReference' }]);
  });

  it('are none of a schema that has none', () => {
    for (const text of ['type Query { a: Int }', 'type Query { _entities: Int } type A { a: Int }']) {
      const schema = buildSchema(text);
      expect(resolveEntitiesTogether(9)(schema)).toBe(schema);
      expect(schema.getQueryType()?.getFields()._entities?.resolve).toBeUndefined();
    }
    const unused = buildSchema('type Query { a: A } type A { a: Int } union _Entity = A');
    expect(resolveEntitiesTogether(9)(unused)).toBe(unused);
  });
});
