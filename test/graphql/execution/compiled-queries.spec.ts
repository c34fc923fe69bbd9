import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import fc from 'fast-check';
import {
  execute,
  type ExecutionResult,
  type GraphQLSchema,
  isEnumType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { FrequentOperations } from '../../../src/graphql/execution/frequent-answers.service.js';
import { AnswerBudget } from '../../../src/graphql/limits/answer-budget.js';
import { AnswerTurns } from '../../../src/load/answer-turns.js';
import { bearerHandle } from '../../support/graphql/graphql-caller.js';
import { startApp, type TestApp } from '../../support/app/start-app.js';

/** What the compiler's source would turn into code if it saw it in a literal. */
const CODE = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.compiledFromALiteral=1,0)';

let app: TestApp;
let schema: GraphQLSchema;
let handle: string;
beforeAll(async () => {
  app = await startApp();
  schema = app.app.get(GraphQLSchemaHost).schema;
  handle = await bearerHandle(app.graphql, { username: 'demo', password: 'demo' });
});
afterAll(() => app.close());

interface Answered {
  readonly answer: AnswerBudget;
}

function contextValue(withSession: boolean): Answered {
  const context = {
    requestId: 'test',
    clientAddress: '127.0.0.1',
    presented: withSession ? { handle, transport: 'bearer' } : undefined,
    signal: new AbortController().signal,
    answer: new AnswerBudget({ nodes: 1e6, bytes: 1e9 }, new AnswerTurns(), {
      party: () => ['test'],
      gone: () => new AbortController().signal,
    }),
  };
  return context;
}

/** What a result says, whoever made it: errors of several fields may come in any order. */
function said({ data, errors = [] }: ExecutionResult): unknown {
  const told = errors.map(({ message, path, locations }) => JSON.stringify({ message, path, locations }));
  return {
    data: JSON.parse(JSON.stringify(data ?? null)) as unknown,
    text: JSON.stringify(data),
    told: told.sort(),
  };
}

/** Compiled code completes long lists at once. */
const wasCompiled = ({ answer }: Answered): boolean => !answer.completesInParts;

interface Ways {
  readonly isCompiled: boolean;
  /** Undefined if it was left to Apollo. */
  readonly frequent: unknown;
  readonly ordinary: unknown;
}

async function bothWays(
  query: string,
  variables: Record<string, unknown> = {},
  withSession = true,
): Promise<Ways> {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation first');
  const context = contextValue(withSession);
  const requested = { schema, document, operation, variables, contextValue: context };
  const frequent = await new FrequentOperations(0).execute(requested);
  const operationName = operation.name?.value;
  const ordinary = await execute({
    schema,
    document: parse(query),
    operationName,
    variableValues: variables,
    contextValue: contextValue(withSession),
  });
  return {
    isCompiled: wasCompiled(context),
    frequent: frequent && said(frequent),
    ordinary: said(ordinary),
  };
}

const key = fc.constantFrom('', 'a', 'constructor', 'toString', 'result', 'idx0', 'class');
const condition = fc.constantFrom(
  '',
  '',
  ' @skip(if: $yes)',
  ' @include(if: $yes)',
  ' @include(if: $no)',
  ' @skip(if: false)',
);
const always = fc.constant('');

/** Any query; either fields of one key merge, or some have conditions. Each key stands for one field only. */
function anyQuery(hasConditions: boolean): fc.Arbitrary<string> {
  const root = selection({
    hasSession: always,
    me: selection({ id: always, fullName: always, initials: always, raw: always }),
    sessionStatus: selection({ id: always, timeoutSeconds: always, locale: always, raw: always }),
    projects: selection({
      id: always,
      name: always,
      alias: always,
      description: always,
      status: always,
      dateCreated: always,
      dateModified: always,
      owner: selection({ id: always, name: always }),
      raw: always,
    }),
  });
  return root.map((selected) => {
    const uses = '{ u: hasSession @skip(if: $yes) w: hasSession @skip(if: $no)';
    const head = hasConditions ? 'query Q($yes: Boolean!, $no: Boolean!) ' : '';
    return hasConditions ? `${head}${selected.replace('{', uses)}` : selected;
  });

  function selection(fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
    const one = Object.entries({ ...fields, __typename: always }).map(([name, inner]) =>
      fc.record({
        key: key.map((alias) => (alias === '' ? name : `f${name}_${alias}: ${name}`)),
        when: hasConditions ? condition : always,
        inner,
      }),
    );
    const several = { minLength: 1, maxLength: 6 };
    const parts = hasConditions
      ? fc.uniqueArray(fc.oneof(...one), { ...several, selector: (part) => part.key })
      : fc.array(fc.oneof(...one), several);
    return parts.map(
      (list) => `{ ${list.map(({ key: name, when, inner }) => `${name}${when}${inner}`).join(' ')} }`,
    );
  }
}

describe('a compiled query', () => {
  it.each([
    ['with conditions', true],
    ['with fields that merge', false],
  ])(
    'has the answer of GraphQL itself, for any selection %s',
    async (_what, hasConditions) => {
      const any = fc.record({
        query: anyQuery(hasConditions),
        yes: fc.boolean(),
        no: fc.boolean(),
        withSession: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(any, async ({ query, yes, no, withSession }) => {
          const { isCompiled, frequent, ordinary } = await bothWays(
            query,
            hasConditions ? { yes, no } : {},
            withSession,
          );
          expect(isCompiled).toBe(true);
          expect(frequent).toEqual(ordinary);
        }),
        { numRuns: 60 },
      );
    },
    60_000,
  );

  it.each([true, false])('has the entities of GraphQL itself, with a session: %p', async (withSession) => {
    const { data } = await app.graphql('{ projects { id } }', { handle });
    const ids = (data.projects as { id: string }[]).map(({ id }) => id);
    const representations = ['nothing', ...ids, 12, null].map((id) => ({ __typename: 'Project', id }));
    const { isCompiled, frequent, ordinary } = await bothWays(
      `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { __typename ... on Project { id name owner { name } raw } }
        _1: _entities(representations: $representations) { ...P } projects { name }
      } fragment P on Project { id description }`,
      { representations },
      withSession,
    );
    expect(isCompiled).toBe(true);
    expect(frequent).toEqual(ordinary);
  });

  it.each([
    ['a variable', 'query ($id: ID!) { project(id: $id) { id name owner { name } } }', { id: 'nothing' }],
    ['a number for an id', 'query ($id: ID!) { project(id: $id) { id } }', { id: 12 }],
    ['a name', 'query ($name: String!) { projectId(name: $name) }', { name: 'MicroStrategy Tutorial' }],
    [
      'a fragment',
      '{ projects { ...P ... on Project { name } } } fragment P on Project { id owner { id } }',
      {},
    ],
    ['a name that each object has', '{ constructor: hasSession valueOf: me { hasOwnProperty: id } }', {}],
    ['an enum and the session', '{ session { transport startedAt profile __typename } }', {}],
    [
      'a page',
      '{ projectsConnection { totalCount pageInfo { hasNextPage endCursor } edges { cursor } } }',
      {},
    ],
    ['a typename of the root', '{ __typename a: __typename me { __typename } }', {}],
    ['one field twice', '{ me { id } me { fullName } projects { id } projects { owner { id } } }', {}],
  ])('has the answer of GraphQL itself with %s', async (_what, query, variables) => {
    const { isCompiled, frequent, ordinary } = await bothWays(query, variables);
    expect(isCompiled).toBe(true);
    expect(frequent).toEqual(ordinary);
  });

  it.each<[string, string, Record<string, unknown>?]>([
    ['a text', `{ projectId(name: "${CODE}") }`],
    ['a text in a list of variables', `query ($name: String! = "${CODE}") { projectId(name: $name) }`],
    ['a number', '{ project(id: 1) { id } }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['a key that means something to JavaScript', '{ __proto__: me { id } }'],
    [
      'a variable that means something to JavaScript',
      'query ($__proto__: ID!) { project(id: $__proto__) { id } }',
      JSON.parse('{ "__proto__": "x" }') as Record<string, unknown>,
    ],
    ['entities in a literal', '{ _entities(representations: []) { __typename } }'],
    ['the SDL', '{ _service { sdl } }'],
    ['a mutation', 'mutation { logout { loggedOut } }'],
    ['conditions on fields that merge', '{ me { id } me @skip(if: true) { fullName } }'],
    ['conditions in fragments', '{ me { ...U } } fragment U on User { id @skip(if: true) fullName }'],
  ])(
    'is not made of a document with %s: GraphQL itself executes it',
    async (_what, query, variables = {}) => {
      const ways = await bothWays(query, variables, false);
      expect(ways.isCompiled).toBe(false);
      expect(ways.frequent).toEqual(ways.ordinary);
      expect(globalThis).not.toHaveProperty('compiledFromALiteral');
    },
  );

  it.each([
    ['is missing', {}],
    ['is null', { id: null }],
    ['has the wrong type', { id: { a: 1 } }],
  ])('is left to Apollo if a variable %s', async (_what, variables) => {
    const { frequent } = await bothWays('query ($id: ID!) { project(id: $id) { id } }', variables);
    expect(frequent).toBeUndefined();
  });
});

describe('the compiled queries', () => {
  it('may leave an enum as it is: inside, each value is its name', () => {
    const enums = Object.values(schema.getTypeMap()).filter(isEnumType);
    expect(enums.map(({ name }) => name)).toContain('SessionTransport');
    const values = enums.flatMap((each) => each.getValues());
    expect(values.filter(({ name, value }) => name !== value)).toEqual([]);
  });

  it('are those that come back, and a limited number of them', async () => {
    const operations = new FrequentOperations(2);
    for (let number = 0; number < 250; number += 1) {
      const document = parse(`{ a${number}: hasSession }`);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation first');
      const requested = { schema, document, operation, variables: {}, contextValue: contextValue(false) };
      const results = [1, 2, 3].map(() => operations.execute(requested));
      expect(results.map((result) => result !== undefined)).toEqual([false, false, true]);
      expect((await results[2])?.data).toEqual({ [`a${number}`]: false });
    }
    expect(operations.size).toBe(200);
  });

  it('are new ones, too, while large answers are made', () => {
    let isHurried = false;
    const operations = new FrequentOperations(2, () => isHurried);
    const isFrequent = (text: string): boolean => {
      const document = parse(text);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation first');
      const requested = { schema, document, operation, variables: {}, contextValue: contextValue(false) };
      return operations.execute(requested) !== undefined;
    };
    expect(isFrequent('{ a: hasSession }')).toBe(false);
    isHurried = true;
    expect(isFrequent('{ b: hasSession }')).toBe(true);
  });
});
