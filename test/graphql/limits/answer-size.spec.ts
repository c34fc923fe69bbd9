import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  parse,
} from 'graphql';
import {
  answerBound,
  answerPlan,
  answerSize,
  type Selected,
  type Size,
} from '../../../src/graphql/limits/answer-size.js';

const schema = buildSchema(`
  directive @other(if: Boolean) on FIELD
  scalar JSONObject
  scalar Date
  type Owner { id: ID name: String }
  type Item { id: ID! name: String status: Int ok: Boolean at: Date owner: Owner raw: JSONObject }
  union Any = Owner | Item
  type Query { items: [Item] item: Item names: [String] any: [Any] }
`);
const NO_LIMIT = { nodes: Infinity, bytes: Infinity };

/** Executes a query and tells what its root fields gave and what was written for them. */
async function answered(
  query: string,
  root: Partial<Record<'items' | 'item' | 'names' | 'any', unknown>>,
  variables: Record<string, unknown> = {},
): Promise<{ selected: Selected[]; written: string[] }> {
  const selected: Selected[] = [];
  const give = (name: keyof typeof root) => (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => {
    selected.push({ value: root[name], plan: answerPlan(info), variables: info.variableValues });
    return root[name];
  };
  const result: ExecutionResult = await execute({
    schema,
    document: parse(query),
    rootValue: {
      items: give('items'),
      item: give('item'),
      names: give('names'),
      any: give('any'),
    },
    variableValues: variables,
  });
  expect(result.errors).toBeUndefined();
  return { selected, written: Object.values(result.data ?? {}).map((value) => JSON.stringify(value)) };
}

function only(selected: readonly Selected[]): Selected {
  const [one] = selected;
  if (one === undefined) throw new Error('Nothing was selected');
  return one;
}

const item = fc.record({
  id: fc.string(),
  name: fc.option(fc.string({ unit: 'binary' })),
  status: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  ok: fc.option(fc.boolean()),
  at: fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })),
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
  'query ($yes: Boolean!) { items { id raw @skip(if: $yes) raw @include(if: $yes) } }',
  'query ($yes: Boolean!) { items { id owner { id name @include(if: $yes) } } }',
  'query ($yes: Boolean!) { items { id ... @include(if: $yes) { raw @skip(if: $yes) name } } }',
  '{ items { at ... { id } name @include(if: false) ok @skip(if: true) status @include(if: true) @other(if: true) } }',
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

  it('of a list of fifty is measured once, and that of a shorter one or of an object each time', async () => {
    let reads = 0;
    const one = {
      get id() {
        reads += 1;
        return 'x';
      },
    };
    const readsOfTwo = async (text: string, root: { items?: unknown[]; item?: unknown }): Promise<number> => {
      const [each] = (await answered(text, root)).selected as [Selected];
      reads = 0;
      for (let time = 0; time < 2; time += 1) answerSize(each, NO_LIMIT);
      return reads;
    };
    expect(await readsOfTwo('{ items { id } }', { items: Array(50).fill(one) })).toBe(50);
    expect(await readsOfTwo('{ items { id } }', { items: Array(49).fill(one) })).toBe(98);
    expect(await readsOfTwo('{ item { id } }', { item: one })).toBe(2);
  });

  it('of a long list is kept for sixteen selections', async () => {
    let reads = 0;
    const items = Array.from({ length: 50 }, () => ({
      get id() {
        reads += 1;
        return 'x';
      },
    }));
    const keys = Array.from({ length: 17 }, (_, n) => 'a'.repeat(n + 1));
    const selections: Selected[] = [];
    for (const key of keys) {
      selections.push(...(await answered(`{ items { ${key}: id } }`, { items })).selected);
    }
    const readsOf = (each: Selected): number => {
      reads = 0;
      answerSize(each, NO_LIMIT);
      return reads;
    };
    for (const each of selections) expect(readsOf(each)).toBe(50);
    expect(selections.map(readsOf)).toEqual([...Array<number>(16).fill(0), 50]);
  });

  it('of a long list that fits exactly is kept, and one that does not fit is not', async () => {
    const sizeOf = async (short: Size): Promise<boolean> => {
      let reads = 0;
      const items = Array.from({ length: 50 }, () => ({
        get id() {
          reads += 1;
          return 'x';
        },
      }));
      const [each] = (await answered('{ items { id } }', { items })).selected as [Selected];
      const whole = { nodes: 101, bytes: 551 };
      answerSize(each, { nodes: whole.nodes - short.nodes, bytes: whole.bytes - short.bytes });
      reads = 0;
      expect(answerSize(each, NO_LIMIT)).toEqual(whole);
      return reads === 0;
    };
    expect(await sizeOf({ nodes: 0, bytes: 0 })).toBe(true);
    expect(await sizeOf({ nodes: 1, bytes: 0 })).toBe(false);
    expect(await sizeOf({ nodes: 0, bytes: 1 })).toBe(false);
  });

  it('is over every limit that is less than it, and measuring stops soon after that', async () => {
    const items = Array.from({ length: 40 }, (_, n) => ({ id: `${n}` }));
    const [each] = (await answered('{ items { id } }', { items })).selected as [Selected];
    const whole = answerSize(each, NO_LIMIT);
    for (let nodes = 1; nodes < whole.nodes; nodes += 1) {
      const size = answerSize(each, { nodes, bytes: Infinity });
      expect(size.nodes).toBeGreaterThan(nodes);
      expect(size.nodes).toBeLessThan(nodes + 4);
    }
    for (let bytes = 50; bytes < whole.bytes; bytes += 1) {
      const size = answerSize(each, { nodes: Infinity, bytes });
      expect(size.bytes).toBeGreaterThan(bytes);
      expect(size.bytes).toBeLessThan(bytes + 20);
    }
  });

  it('is bounded without reading its texts: each may be written by an escape for each character', async () => {
    const { selected, written } = await answered('{ names }', { names: ['\u001f'.repeat(100)] });
    const bound = answerBound(only(selected));
    expect(bound.bytes).toBe(Buffer.byteLength(written[0] ?? ''));
    const plain = await answered('{ names }', { names: ['x'.repeat(100)] });
    expect(answerBound(only(plain.selected)).bytes).toBe(bound.bytes);
  });

  it('has one value for a date', async () => {
    const { selected } = await answered('{ item { at } }', { item: { at: new Date(0) } });
    expect(answerSize(only(selected), NO_LIMIT).nodes).toBe(2);
  });

  it('is that of texts and of values that are missing, in a list', async () => {
    const { selected, written } = await answered('{ names }', { names: ['a', null, 'ä'] });
    expect(answerSize(only(selected), NO_LIMIT)).toEqual({
      nodes: 4,
      bytes: Buffer.byteLength(written[0] ?? ''),
    });
  });

  it('is that of each member of a union, by its own fields', async () => {
    const any = [{ __typename: 'Item', id: 'x', owner: { id: 'y' }, raw: { a: 1 } }];
    const text = '{ any { ... on Item { owner { id } raw } } }';
    const { selected, written } = await answered(text, { any });
    const { bytes } = answerSize(only(selected), NO_LIMIT);
    expect(bytes).toBe(Buffer.byteLength(written[0] ?? ''));
  });

  it('is larger for an error by its message', async () => {
    const sizeOf = async (length: number): Promise<number> => {
      const items = [new Error('x'.repeat(length))];
      const document = parse('{ items { id } }');
      let bytes = 0;
      const give = (_args: unknown, _context: unknown, info: GraphQLResolveInfo): null => {
        ({ bytes } = answerSize({ value: items, plan: answerPlan(info), variables: {} }, NO_LIMIT));
        return null;
      };
      await execute({ schema, document, rootValue: { items: give } });
      return bytes;
    };
    expect((await sizeOf(300)) - (await sizeOf(100))).toBe(200);
  });

  it('leaves out what another resolver returns, whatever the object has by that name', async () => {
    const own = buildSchema('type Item { id: ID name: String } type Query { items: [Item] }');
    const fields = (own.getType('Item') as GraphQLObjectType).getFields();
    Object.assign(fields.name ?? {}, { resolve: () => null });
    const sizes: Size[] = [];
    const items = (_args: unknown, _context: unknown, info: GraphQLResolveInfo): null => {
      const value = [{ id: 'x', name: 'n'.repeat(100) }];
      sizes.push(answerSize({ value, plan: answerPlan(info), variables: {} }, NO_LIMIT));
      return null;
    };
    await execute({ schema: own, document: parse('{ items { id name } }'), rootValue: { items } });
    expect(sizes).toEqual([{ nodes: 4, bytes: '[{"id":"x","name":}]'.length }]);
  });

  it('of a long list that passes the limit is not taken for the whole', async () => {
    const items = Array.from({ length: 1000 }, (_, n) => ({ id: `${n}` }));
    const { selected, written } = await answered('{ items { id } }', { items });
    const [each] = selected as [Selected];
    expect(answerSize(each, { nodes: 10, bytes: Infinity }).nodes).toBeLessThan(100);
    expect(answerSize(each, NO_LIMIT).bytes).toBe(written[0]?.length);
  });

  it('is exactly what is written, and never more than its bound, for any list and selection', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(item), { maxLength: 6 }),
        query,
        fc.boolean(),
        async (items, text, yes) => {
          const { selected, written } = await answered(
            text,
            { items },
            text.startsWith('query') ? { yes } : {},
          );
          const sizes = selected.map((one) => answerSize(one, NO_LIMIT));
          expect(sizes.map(({ bytes }) => bytes)).toEqual(written.map((each) => Buffer.byteLength(each)));
          for (const [at, bound] of selected.map(answerBound).entries()) {
            expect(bound.nodes).toBe(sizes[at]?.nodes);
            expect(bound.bytes).toBeGreaterThanOrEqual(sizes[at]?.bytes ?? Infinity);
          }
        },
      ),
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
    expect((await sizeOf({ a: undefined, b: 1 })).nodes).toBe(3);
    await sizeOf({ text: ['\ud800', '\u2028', '\u0001é😀', '"', '\\', '\u007f', 'plain'] });
  });

  it('is planned once for each document', async () => {
    const plansOf = async (text: string, operations: (string | undefined)[]): Promise<unknown[]> => {
      const document = parse(text);
      const plans: unknown[] = [];
      const items = (_args: unknown, _context: unknown, info: GraphQLResolveInfo): null => {
        plans.push(answerPlan(info));
        return null;
      };
      for (const operationName of operations) {
        await execute({ schema, document, operationName, rootValue: { items } });
      }
      return plans;
    };
    const [first, again] = await plansOf('{ items { id } items { name } }', [undefined, undefined]);
    expect(again).toBe(first);
    expect(first).toHaveLength(2);
    const shared = 'query A { ...F items { name } } query B { ...F items { status ok } }';
    const fragment = 'fragment F on Query { items { id } }';
    const [one, other] = await plansOf(`${shared} ${fragment}`, ['A', 'B']);
    expect(one).toHaveLength(2);
    expect(other).toHaveLength(3);
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
