import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { buildSchema, type ExecutionResult, execute, type GraphQLResolveInfo, parse } from 'graphql';
import { answerPlan, answerSize, type Selected, type Size } from '../../../src/graphql/limits/answer-size.js';

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
  it('of a long list is measured once for each selection, whatever document that is in', async () => {
    let reads = 0;
    const items = Array.from({ length: 1000 }, (_, n) => ({
      get id() {
        reads += 1;
        return `${n}`;
      },
      name: 'x',
    }));
    const sizes: Size[] = [];
    for (const text of ['{ items { id } }', 'query Again { other: items { id } }', '{ items { id name } }']) {
      const { selected, written } = await answered(text, { items });
      reads = 0;
      sizes.push(...selected.map((each) => answerSize(each, NO_LIMIT)));
      expect(reads).toBe(sizes.length === 2 ? 0 : 1000);
      expect(sizes.at(-1)?.bytes).toBe(written[0]?.length);
    }
  });

  it('of a long list that passes the limit is not taken for the whole', async () => {
    const items = Array.from({ length: 1000 }, (_, n) => ({ id: `${n}` }));
    const { selected, written } = await answered('{ items { id } }', { items });
    const [each] = selected as [Selected];
    expect(answerSize(each, { nodes: 10, bytes: Infinity }).nodes).toBeLessThan(100);
    expect(answerSize(each, NO_LIMIT).bytes).toBe(written[0]?.length);
  });

  it('is exactly what is written, for any list and selection', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 6 }), query, fc.boolean(), async (items, text, yes) => {
        const { selected, written } = await answered(
          text,
          { items },
          text.startsWith('query') ? { yes } : {},
        );
        const sizes = selected.map((one) => answerSize(one, NO_LIMIT));
        expect(sizes.map(({ bytes }) => bytes)).toEqual(written.map((each) => Buffer.byteLength(each)));
      }),
      { numRuns: 300 },
    );
  });

  it('is that of its JSON text, for any JSON object of the platform', async () => {
    const sizeOf = async (raw: unknown): Promise<Size> => {
      const { selected, written } = await answered('{ item { raw } }', { item: { raw } });
      const [size = NO_LIMIT] = selected.map((one) => answerSize(one, NO_LIMIT));
      expect(size.bytes).toBe(Buffer.byteLength(written[0] ?? ''));
      return size;
    };
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: 'binary' })), async (raw) => {
        await sizeOf(raw);
      }),
    );
    // The item, and six values of the object.
    expect((await sizeOf({ a: [1, 'x', null], b: {} })).nodes).toBe(7);
    await sizeOf({ text: ['\ud800', '\u2028', '\u0001é😀', '"', '\\', '\u007f', 'plain'] });
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
            bytes.push(answerSize(one, NO_LIMIT).bytes);
            return root.items;
          },
        },
      });
    }
    expect(bytes).toEqual([12, 31, 12]);
  });
});
