import { buildSchema, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.js';
import { ErrorFormat } from '../../../src/errors/to-graphql-error.js';
import {
  FrequentAnswers,
  FrequentOperations,
} from '../../../src/graphql/execution/frequent-answers.service.js';
import { AnswerTurns } from '../../../src/load/answer-turns.js';

const schema = buildSchema(`
  type Query { ok: Boolean missing: Boolean page(first: Int, after: String): Int }
  type Mutation { change(to: Int!): Int }
`);
Object.assign(schema.getQueryType()?.getFields().ok ?? {}, { resolve: () => true });
Object.assign(schema.getQueryType()?.getFields().page ?? {}, { resolve: () => 1 });
Object.assign(schema.getMutationType()?.getFields().change ?? {}, {
  resolve: (_source: unknown, { to }: { to: number }) => to,
});
Object.assign(schema.getQueryType()?.getFields().missing ?? {}, {
  resolve: () => {
    throw new ServiceError('NOT_FOUND', 'There is none');
  },
});

type Requested = Parameters<FrequentOperations['execute']>[0];

function requested(
  text: string,
  variables: Record<string, unknown> = {},
  contextValue: object = {},
): Requested {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation first');
  return { schema, document, operation, variables, contextValue };
}

describe('a query that comes back', () => {
  it('is compiled at its third use, and stays so', () => {
    const operations = new FrequentOperations();
    const query = requested('{ ok }');
    const uses = [1, 2, 3, 4, 5].map(() => operations.execute(query) !== undefined);
    expect(uses).toEqual([false, false, true, true, true]);
    expect(operations.size).toBe(1);
  });

  it('stays while it is used, and begins anew once it has made room for others', () => {
    const operations = new FrequentOperations(1);
    const use = (query: Requested): boolean => operations.execute(query) !== undefined;
    const many = Array.from({ length: 250 }, (_, n) => requested(`{ a${n}: ok }`));
    const [used, unused] = many as [Requested, Requested];
    for (const query of many) {
      use(query);
      use(query);
      if (operations.size > 100) expect(use(used)).toBe(true);
    }
    expect(operations.size).toBe(200);
    expect(use(used)).toBe(true);
    expect([use(unused), use(unused)]).toEqual([false, true]);
  });

  it('is left to GraphQL with a variable that is null: whether that fits shows only where it is used', () => {
    const operations = new FrequentOperations(0);
    const text = 'query ($first: Int, $after: String) { page(first: $first, after: $after) }';
    expect(operations.execute(requested(text, { first: 1, after: null }))).toBeUndefined();
    expect(operations.execute(requested(text, { first: 1, after: 'x' }))).toBeDefined();
    expect(operations.execute(requested(text, { first: 1 }))).toBeDefined();
  });

  it('has its long lists completed at once: compiled code is quick enough', () => {
    const answer = { completesInParts: true };
    const operations = new FrequentOperations(1);
    const query = requested('{ ok }', {}, { answer });
    expect(operations.execute(query)).toBeUndefined();
    expect(answer.completesInParts).toBe(true);
    expect(operations.execute(query)).toBeDefined();
    expect(answer.completesInParts).toBe(false);
  });
});

describe('a frequent operation that may not be compiled', () => {
  it.each([
    ['a literal', '{ page(first: 1) }', {}, { page: 1 }],
    ['a mutation', 'mutation ($to: Int!) { change(to: $to) }', { to: 3 }, { change: 3 }],
    ['one of two', 'mutation A { a: change(to: 1) } query B { ok }', {}, { a: 1 }],
  ])('is executed by GraphQL, from its third use on: %s', async (_what, text, variables, data) => {
    const operations = new FrequentOperations();
    const answer = { completesInParts: true };
    const operation = requested(text, variables, { answer });
    expect([operations.execute(operation), operations.execute(operation)]).toEqual([undefined, undefined]);
    expect(await operations.execute(operation)).toEqual({ data });
    expect(answer.completesInParts).toBe(true);
  });

  it('is left to Apollo with a variable that does not fit, and nothing is called', () => {
    const operations = new FrequentOperations(0);
    const text = 'mutation ($to: Int!) { change(to: $to) }';
    for (const to of ['x', null, undefined]) {
      expect(operations.execute(requested(text, { to }))).toBeUndefined();
    }
  });
});

describe('the answer to a frequent operation', () => {
  const format = new ErrorFormat(true, () => 'request');

  it('has its errors as callers see them, and as they were thrown', async () => {
    const answers = new FrequentAnswers(format, new AnswerTurns());
    const query = requested('{ ok missing }');
    for (let use = 0; use < 2; use += 1) expect(await answers.answer(query)).toBeUndefined();
    const answer = await answers.answer(query);
    expect(answer).toMatchObject({
      data: { ok: true, missing: null },
      errors: [{ message: 'There is none', path: ['missing'], extensions: { code: 'NOT_FOUND' } }],
    });
    expect(answer?.thrown?.[0]?.originalError).toBeInstanceOf(ServiceError);
  });

  it('has no errors where there are none', async () => {
    const answers = new FrequentAnswers(format, new AnswerTurns());
    const query = requested('{ ok }');
    for (let use = 0; use < 2; use += 1) await answers.answer(query);
    expect(await answers.answer(query)).toEqual({ data: { ok: true }, errors: undefined, thrown: undefined });
  });

  it('is there at the first use of a query while large answers are made', async () => {
    const turns = new AnswerTurns();
    const answers = new FrequentAnswers(format, turns);
    expect(await answers.answer(requested('{ a: ok }'))).toBeUndefined();
    const turn = await turns.take(['caller'], new AbortController().signal);
    expect(await answers.answer(requested('{ b: ok }'))).toMatchObject({ data: { b: true } });
    turn?.end();
    expect(await answers.answer(requested('{ c: ok }'))).toBeUndefined();
  });
});
