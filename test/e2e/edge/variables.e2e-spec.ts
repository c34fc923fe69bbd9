import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { startApp, type TestApp } from '../../support/app/start-app.js';

/** As many times as a query runs before it is compiled, and once more. */
const UNTIL_COMPILED = 10;
const ODD_VALUES = [
  null,
  0,
  -1,
  1.5,
  2 ** 53,
  '',
  'x',
  true,
  [],
  [null],
  [[]],
  {},
  { x: null },
  { __proto__: null },
];

interface Place {
  readonly operation: 'query' | 'mutation';
  readonly field: GraphQLField<unknown, unknown>;
  readonly argument: GraphQLArgument;
}

let app: TestApp;
let schema: GraphQLSchema;
beforeAll(async () => {
  app = await startApp();
  schema = app.app.get(GraphQLSchemaHost).schema;
});
afterAll(() => app.close());

/** Every argument of every root field. */
function places(): Place[] {
  return (['query', 'mutation'] as const).flatMap((operation) => {
    const root = operation === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(root?.getFields() ?? {}).flatMap((field) =>
      field.args.map((argument) => ({ operation, field, argument })),
    );
  });
}

/** A document that gives an argument a variable which may be null, as GraphQL allows where either has a default. */
function document({ operation, field, argument }: Place): string {
  const nullable = getNullableType(argument.type);
  const needsDefault = isNonNullType(argument.type) && argument.defaultValue === undefined;
  const value = isListType(nullable) ? '[]' : isInputObjectType(nullable) ? inputOf(nullable) : '"x"';
  const others = field.args
    .filter((other) => other !== argument && isNonNullType(other.type) && other.defaultValue === undefined)
    .map(({ name }) => `${name}: "x"`);
  const given = [`${argument.name}: $v`, ...others].join(', ');
  const selected = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${operation} ($v: ${String(nullable)}${needsDefault ? ` = ${value}` : ''}) { ${field.name}(${given})${selected} }`;
}

/** A literal with all that a type requires. */
function inputOf(type: {
  getFields(): Record<string, { name: string; type: unknown; defaultValue?: unknown }>;
}): string {
  const required = Object.values(type.getFields()).filter(
    (field) => isNonNullType(field.type) && field.defaultValue === undefined,
  );
  return `{ ${required.map(({ name }) => `${name}: "x"`).join(', ')} }`;
}

/** Documents that give one variable to each field of each input object, and to an entry of each list in one. */
function inside(): { readonly query: string; readonly required: boolean }[] {
  return places().flatMap(({ operation, field, argument }) => {
    const input = getNullableType(argument.type);
    if (!isInputObjectType(input)) return [];
    const selected = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
    const document = (type: string, value: string): string =>
      `${operation} ($v: ${type}) { ${field.name}(${argument.name}: ${value})${selected} }`;
    return Object.values(input.getFields()).flatMap(({ name, type, defaultValue }) => {
      const nullable = getNullableType(type);
      const isRequired = isNonNullType(type);
      const others = Object.values(input.getFields())
        .filter(
          (other) => other.name !== name && isNonNullType(other.type) && other.defaultValue === undefined,
        )
        .map((other) => `${other.name}: "x"`);
      const value = (given: string): string => `{ ${[`${name}: ${given}`, ...others].join(', ')} }`;
      const preset = isRequired && defaultValue === undefined ? ' = "x"' : '';
      const whole = { query: document(`${String(nullable)}${preset}`, value('$v')), required: isRequired };
      if (!isListType(nullable)) return [whole];
      const item = getNullableType(nullable.ofType);
      const entry = {
        query: document(`${String(item)} = "x"`, value('[$v]')),
        required: isNonNullType(nullable.ofType),
      };
      return [whole, entry];
    });
  });
}

async function codes(query: string, variables: Record<string, unknown>): Promise<string[]> {
  const { errors = [] } = await app.graphql(query, { variables });
  return errors.map(({ extensions }) => String(extensions.code));
}

describe('a variable', () => {
  it('is never an internal error, whatever it is and wherever it stands', async () => {
    const all = places();
    expect(all.length).toBeGreaterThan(8);
    for (const place of all) {
      const query = document(place);
      for (const variables of [{}, ...ODD_VALUES.map((v) => ({ v }))]) {
        const got = await codes(query, variables);
        expect([query, JSON.stringify(variables), got]).not.toContainEqual(
          expect.arrayContaining(['INTERNAL_SERVER_ERROR']),
        );
      }
    }
  }, 180_000);

  it('that is null where a value is required is BAD_USER_INPUT, in a compiled query as well', async () => {
    const required = places().filter(({ argument }) => isNonNullType(argument.type));
    expect(required.length).toBeGreaterThan(5);
    for (const place of required) {
      const query = document(place);
      const seen = new Set<string>();
      for (let time = 0; time < UNTIL_COMPILED; time += 1) seen.add((await codes(query, { v: null })).join());
      expect([query, ...seen]).toEqual([query, 'BAD_USER_INPUT']);
      const without = new Set<string>();
      for (let time = 0; time < UNTIL_COMPILED; time += 1) without.add((await codes(query, {})).join());
      expect([query, without.size, without.has('INTERNAL_SERVER_ERROR')]).toEqual([query, 1, false]);
    }
  }, 180_000);

  it('is never an internal error within an input object or a list, and null is BAD_USER_INPUT there too', async () => {
    const all = inside();
    expect(all.filter(({ required }) => required).length).toBeGreaterThan(4);
    for (const { query, required } of all) {
      for (const variables of [{}, ...ODD_VALUES.map((v) => ({ v }))]) {
        const got = await codes(query, variables);
        expect([query, JSON.stringify(variables), got]).not.toContainEqual(
          expect.arrayContaining(['INTERNAL_SERVER_ERROR']),
        );
      }
      if (required) expect([query, await codes(query, { v: null })]).toEqual([query, ['BAD_USER_INPUT']]);
    }
  }, 180_000);

  it('is never an internal error for a directive, whatever it is', async () => {
    for (const name of ['include', 'skip']) {
      const query = `query ($v: Boolean = true) { hasSession @${name}(if: $v) session @${name}(if: $v) { expiresAt } }`;
      for (const v of ODD_VALUES) {
        const got = await codes(query, { v });
        expect([query, JSON.stringify(v), got]).toEqual([
          query,
          JSON.stringify(v),
          typeof v === 'boolean' ? [] : ['BAD_USER_INPUT'],
        ]);
      }
    }
  });

  it.each(['include', 'skip'])(
    'that is null for @%s is BAD_USER_INPUT, at the root, below it and in fragments',
    async (name) => {
      const documents = [
        `query ($v: Boolean = true) { hasSession @${name}(if: $v) }`,
        `query ($v: Boolean = true) { ... on Query @${name}(if: $v) { hasSession } }`,
        `query ($v: Boolean = true) { ...F @${name}(if: $v) } fragment F on Query { hasSession }`,
        `mutation ($v: Boolean = true) { login(input: {}) { __typename session @${name}(if: $v) { __typename } } }`,
      ];
      for (const query of documents) {
        expect([query, await codes(query, { v: null })]).toEqual([query, ['BAD_USER_INPUT']]);
        expect([query, await codes(query, {})]).toEqual([query, []]);
      }
    },
  );

  it('names the argument and its type where the schema is public, and quotes nothing', async () => {
    const query = 'query ($f: Int) { projectsConnection(first: $f) { totalCount } }';
    const { errors } = await app.graphql(query, { variables: { f: null } });
    expect(errors?.[0]?.message).toBe('The argument "first" of type "Int!" needs a value');
  });
});
