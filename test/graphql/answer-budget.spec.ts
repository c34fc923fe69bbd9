import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildSchema, type ExecutionResult, execute, type GraphQLResolveInfo, parse } from 'graphql';
import { AnswerBudget } from '../../src/graphql/answer-budget.js';
import { answerPlan } from '../../src/graphql/answer-plan.js';
import { jsonSize, textBytes, textBytesAtMost } from '../../src/graphql/json-size.js';
import { measureAnswer, type Selected } from '../../src/graphql/measure-answer.js';
import { ServiceError } from '../../src/errors/service-error.js';

const schema = buildSchema(`
  scalar JSONObject
  type Owner { id: ID name: String }
  type Item { id: ID! name: String status: Int ok: Boolean owner: Owner raw: JSONObject }
  type Query { items: [Item] item: Item }
`);
const NO_LIMIT = { nodes: Infinity, bytes: Infinity };

/** Executes a query and tells what its root fields gave and what was written for them. */
async function answered(
  query: string,
  root: { items?: unknown; item?: unknown },
  variables: Record<string, unknown> = {},
): Promise<{ selected: Selected[]; written: string[] }> {
  const selected: Selected[] = [];
  const give = (name: 'items' | 'item') => (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => {
    selected.push({ value: root[name], plan: answerPlan(info), variables: info.variableValues });
    return root[name];
  };
  const result: ExecutionResult = await execute({
    schema,
    document: parse(query),
    rootValue: { items: give('items'), item: give('item') },
    variableValues: variables,
  });
  expect(result.errors).toBeUndefined();
  return { selected, written: Object.values(result.data ?? {}).map((value) => JSON.stringify(value)) };
}

const item = fc.record({
  id: fc.string(),
  name: fc.option(fc.string({ unit: 'binary' })),
  status: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  ok: fc.option(fc.boolean()),
  owner: fc.option(fc.record({ id: fc.string(), name: fc.option(fc.string({ unit: 'grapheme' })) })),
  raw: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
});
const query = fc.constantFrom(
  '{ items { id } }',
  '{ items { a: name b: name status ok __typename owner { id name } raw } }',
  '{ items { ...I owner { name } } } fragment I on Item { id owner { id __typename } ... on Item { raw } }',
  'query ($yes: Boolean!) { items { id name @include(if: $yes) raw @skip(if: $yes) owner @skip(if: $yes) { id } } }',
  'query ($yes: Boolean!) { items { ...I @include(if: $yes) ok } } fragment I on Item { id ok raw }',
  'query ($yes: Boolean!) { items { id raw @skip(if: $yes) raw } }',
);

describe('the size of an answer', () => {
  it('is exactly what is written, for any list and selection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 6 }), query, fc.boolean(), async (items, text, yes) => {
        const { selected, written } = await answered(
          text,
          { items },
          text.startsWith('query') ? { yes } : {},
        );
        const sizes = selected.map((one) => measureAnswer(one, textBytes, NO_LIMIT));
        expect(sizes.map(({ bytes }) => bytes)).toEqual(written.map((each) => Buffer.byteLength(each)));
        const most = selected.map((one) => measureAnswer(one, textBytesAtMost, NO_LIMIT).bytes);
        most.forEach((bytes, index) => {
          expect(bytes).toBeGreaterThanOrEqual(sizes[index]?.bytes ?? 0);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('is that of its JSON text, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(jsonSize(value).bytes).toBe(Buffer.byteLength(JSON.stringify(value)));
      }),
    );
    expect(jsonSize({ a: [1, 'x', null], b: {} }).nodes).toBe(6);
    expect(jsonSize(['\ud800', '\u2028', '\u0001é😀']).bytes).toBe(
      Buffer.byteLength(JSON.stringify(['\ud800', '\u2028', '\u0001é😀'])),
    );
  });

  it('follows the operation, where two share a fragment', async () => {
    const document = 'fragment F on Query { items { id } }';
    const root = { items: [{ id: '1', name: 'long name' }] };
    const both = `query A { ...F } query B { ...F items { name } } ${document}`;
    const bytes: number[] = [];
    for (const operationName of ['A', 'B', 'A']) {
      await execute({
        schema,
        document: parse(both),
        operationName,
        rootValue: {
          items: (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => {
            const one = { value: root.items, plan: answerPlan(info), variables: {} };
            bytes.push(measureAnswer(one, textBytes, NO_LIMIT).bytes);
            return root.items;
          },
        },
      });
    }
    expect(bytes).toEqual([12, 31, 12]);
  });
});

describe('the budget of an answer', () => {
  const text = 'x'.repeat(100);
  const selectedOnce = async (items: unknown[]): Promise<Selected> => {
    const { selected } = await answered('{ items { name } }', { items });
    if (selected[0] === undefined) throw new Error('nothing selected');
    return selected[0];
  };

  it('is spent exactly: an answer of as many bytes fits, one of a byte more does not', async () => {
    const one = await selectedOnce([{ name: text }, { name: text }]);
    const { bytes } = measureAnswer(one, textBytes, NO_LIMIT);
    const fits = new AnswerBudget({ nodes: 1000, bytes: 3 * bytes });
    for (let time = 0; time < 3; time += 1) fits.charge(one);
    expect(() => {
      fits.charge(one);
    }).toThrow(ServiceError);
    const tight = new AnswerBudget({ nodes: 1000, bytes: bytes - 1 });
    expect(() => {
      tight.charge(one);
    }).toThrow(
      `The answer would have more than ${bytes - 1} bytes (GRAPHQL_MAX_ANSWER_BYTES): request less data`,
    );
  });

  it('counts values, and leaves room for smaller ones after one that did not fit', async () => {
    const large = await selectedOnce(Array.from({ length: 20 }, () => ({ name: 'a' })));
    const small = await selectedOnce([{ name: 'a' }]);
    const budget = new AnswerBudget({ nodes: 10, bytes: 100_000 });
    expect(() => {
      budget.charge(large);
    }).toThrow('The answer would have more than 10 values (GRAPHQL_MAX_ANSWER_NODES): request less data');
    for (let time = 0; time < 3; time += 1) budget.charge(small);
    expect(() => {
      budget.charge(small);
    }).toThrow('GRAPHQL_MAX_ANSWER_NODES');
  });
});
