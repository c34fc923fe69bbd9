import { setImmediate as nextIteration } from 'node:timers/promises';
import { buildSchema, graphql, type GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ExecutionCancelledError } from 'portico/client';
import { ServiceError } from '../../../src/errors/service-error.js';
import { AnswerBudget, chargeAnswers } from '../../../src/graphql/limits/answer-budget.js';
import { answerSize, type PlannedField, type Size } from '../../../src/graphql/limits/answer-size.js';
import { AnswerTurns } from '../../../src/load/answer-turns.js';

const NO_LIMIT = { nodes: Infinity, bytes: Infinity };
const ID: PlannedField = {
  keyBytes: 5,
  property: 'id',
  constantBytes: 0,
  isJson: false,
  fields: undefined,
  conditions: undefined,
};
const SELECTED = { plan: [ID], variables: {} };
const LARGE = Array.from({ length: 5000 }, (_, id) => ({ id }));

function budget(limits: Size = NO_LIMIT): AnswerBudget {
  return new AnswerBudget(limits, new AnswerTurns(), {
    party: () => ['caller'],
    gone: () => new AbortController().signal,
  });
}

describe('the budget of an answer', () => {
  const items = (count: number, id: unknown = 'a'): unknown[] =>
    Array.from({ length: count }, () => ({ id }));

  it('is spent exactly: an answer of as many bytes fits, one of a byte more does not', () => {
    const value = items(2, 'x'.repeat(100));
    const { bytes } = answerSize({ value, ...SELECTED }, NO_LIMIT);
    const fits = budget({ nodes: 1000, bytes: 3 * bytes });
    for (let time = 0; time < 3; time += 1) expect(fits.add(value, SELECTED)).toBe(value);
    expect(() => fits.add(value, SELECTED)).toThrow(ServiceError);
    expect(() => budget({ nodes: 1000, bytes: bytes - 1 }).add(value, SELECTED)).toThrow(
      `The answer would have more than ${bytes - 1} bytes (GRAPHQL_MAX_ANSWER_BYTES): request less data`,
    );
  });

  it('counts values, and leaves room for smaller ones after one that did not fit', () => {
    const tight = budget({ nodes: 10, bytes: 100_000 });
    expect(() => tight.add(items(20), SELECTED)).toThrow(
      'The answer would have more than 10 values (GRAPHQL_MAX_ANSWER_NODES): request less data',
    );
    for (let time = 0; time < 3; time += 1) expect(tight.add(items(1), SELECTED)).toHaveLength(1);
    expect(() => tight.add(items(1), SELECTED)).toThrow('GRAPHQL_MAX_ANSWER_NODES');
  });

  it('is spent by errors of items as well, with their ids', () => {
    const errors = Array.from({ length: 3 }, () => new Error('x'.repeat(100)));
    expect(() => budget({ nodes: 700, bytes: 100_000 }).add(errors, SELECTED)).toThrow('values');
    expect(() => budget({ nodes: 1000, bytes: 3000 }).add(errors, SELECTED)).toThrow('bytes');
  });
});

describe('a large answer', () => {
  it('is made no further once its caller has hung up, and lets others have its turn', async () => {
    const turns = new AnswerTurns();
    const answerFor = (name: string, gone: AbortSignal): AnswerBudget =>
      new AnswerBudget(NO_LIMIT, turns, { party: () => [name], gone: () => gone });
    const caller = new AbortController();
    const answer = answerFor('caller', caller.signal);
    expect(await answer.add(LARGE, SELECTED)).toHaveLength(5000);

    caller.abort();

    await expect(answer.add(LARGE, SELECTED)).rejects.toThrow(ExecutionCancelledError);
    await expect(answerFor('caller', caller.signal).add(LARGE, SELECTED)).rejects.toThrow(
      ExecutionCancelledError,
    );
    answer.sending();
    expect(await answerFor('other', new AbortController().signal).add(LARGE, SELECTED)).toHaveLength(5000);
  });

  it.each([
    ['compiled code', false],
    ["GraphQL's own executor", true],
  ])(
    'that does not fit has none of its large parts made by %s, and has room for small ones',
    async (_by, inParts) => {
      const { bytes } = answerSize({ value: LARGE, ...SELECTED }, NO_LIMIT);
      const answer = budget({ nodes: Infinity, bytes: 2 * bytes });
      answer.completesInParts = inParts;
      const done: string[] = [];
      await Promise.all(
        ['first', 'second', 'third'].map((name) =>
          Promise.resolve(answer.add(LARGE, SELECTED)).then(
            () => done.push(name),
            () => done.push(`${name} refused`),
          ),
        ),
      );
      expect(done.sort()).toEqual(['first refused', 'second refused', 'third refused']);
      expect(answer.bytes).toBe(0);
      expect(answer.add([{ id: 1 }], SELECTED)).toEqual([{ id: 1 }]);
      await expect(answer.add(LARGE, SELECTED)).rejects.toThrow('GRAPHQL_MAX_ANSWER_BYTES');
    },
  );

  it('has a long list completed a thousand items at a time, unless compiled code does it', async () => {
    const iterations: (() => void)[] = [];
    const turns = new AnswerTurns(
      () => true,
      (work) => iterations.push(work),
    );
    const made = (isCompiled: boolean): AnswerBudget => {
      const answer = new AnswerBudget(NO_LIMIT, turns, {
        party: () => ['caller'],
        gone: () => new AbortController().signal,
      });
      answer.completesInParts = !isCompiled;
      return answer;
    };
    const list = async (answer: AnswerBudget): Promise<unknown> => {
      const given = Promise.resolve(answer.add(LARGE, SELECTED));
      let list: unknown;
      void given.then((value) => (list = value));
      while (list === undefined) {
        iterations.shift()?.();
        await nextIteration();
      }
      answer.sending();
      return list;
    };
    expect(await list(made(true))).toBe(LARGE);

    const items = (await list(made(false))) as unknown[];
    expect(items.slice(0, 1000)).toEqual(LARGE.slice(0, 1000));
    let come = 0;
    void (items[1000] as Promise<unknown>).then(() => (come += 1));
    await nextIteration();
    expect(come).toBe(0);
    while (iterations.length > 0) {
      iterations.shift()?.();
      await nextIteration();
    }
    expect(come).toBe(1);
    expect(await Promise.all(items)).toEqual(LARGE);
  });

  it('is the only one that is given up when its caller hangs up: of a small one, that is not even asked', () => {
    const answer = new AnswerBudget(NO_LIMIT, new AnswerTurns(), {
      party: () => ['caller'],
      gone: () => {
        throw new Error('asked');
      },
    });
    expect(answer.add([{ id: 1 }], SELECTED)).toEqual([{ id: 1 }]);
    expect(answer.search(100)).toBeUndefined();
  });

  it('is also one that takes long to find: each search of a long list has an iteration of the event loop', async () => {
    const iterations: (() => void)[] = [];
    const turns = new AnswerTurns(
      () => true,
      (work) => iterations.push(work),
    );
    const gone = new AbortController().signal;
    const answer = new AnswerBudget(NO_LIMIT, turns, { party: () => ['caller'], gone: () => gone });
    let done = 0;
    const searches = Array.from({ length: 3 }, async () => {
      await answer.search(5000);
      done += 1;
    });
    for (let expected = 1; expected <= 3; expected += 1) {
      expect(done).toBe(expected - 1);
      while (done < expected) {
        iterations.shift()?.();
        await Promise.resolve();
      }
      expect(done).toBe(expected);
    }
    await Promise.all(searches);
  });

  it('is one with many short searches, too', async () => {
    const answer = budget();
    for (let time = 0; time < 50; time += 1) expect(answer.search(1000)).toBeUndefined();
    await expect(answer.search(1000)).resolves.toBeUndefined();
    // What follows is part of the same large answer.
    await expect(Promise.resolve(answer.add([{ id: 1 }], SELECTED))).resolves.toEqual([{ id: 1 }]);
  });
});

describe('what is charged', () => {
  // By this name the transform knows what Nest adds to a plain field.
  function rootFieldResolver(): undefined {
    return undefined;
  }
  const user = { name: 'Dana' };
  const resolvers: Record<string, Record<string, () => unknown>> = {
    Query: { user: () => user },
    Mutation: {
      login: () => ({ handle: 'h' }),
      rename: () => ({ names: ['a'] }),
      show: () => ({ raw: {} }),
      find: () => ({ owner: user }),
      users: () => [user],
    },
    Login: { user: () => user },
    User: { name: rootFieldResolver },
  };

  /** How often a resolver's value is charged to the answer to a document. */
  async function charges(source: string): Promise<number> {
    const schema = buildSchema(`
      scalar JSONObject
      type User { name: String }
      type Login { handle: String! user: User! }
      type Renamed { names: [String!]! }
      type Shown { raw: JSONObject! }
      type Found { owner: User! }
      type Query { user: User! }
      type Mutation { login: Login! rename: Renamed! show: Shown! find: Found! users: [User!]! }
    `);
    for (const [type, fields] of Object.entries(resolvers)) {
      const known = (schema.getType(type) as GraphQLObjectType).getFields();
      for (const [name, resolve] of Object.entries(fields)) Object.assign(known[name] ?? {}, { resolve });
    }
    let count = 0;
    const answer = {
      add: (value: unknown) => {
        count += 1;
        return value;
      },
    };
    const { errors } = await graphql({ schema: chargeAnswers(schema), source, contextValue: { answer } });
    expect(errors).toBeUndefined();
    return count;
  }

  it.each([
    ['an object of a query', '{ user { name } }', 1],
    ['no object of scalars that a mutation returns', 'mutation { login { handle } }', 0],
    ['what else it has a resolver for', 'mutation { login { handle user { name } } }', 1],
    ['a list of a mutation', 'mutation { users { name } }', 1],
    ['a list in what it returns', 'mutation { rename { names } }', 1],
    ['an object in what it returns', 'mutation { find { owner { name } } }', 1],
    ['JSON in what it returns', 'mutation { show { raw } }', 1],
  ])('is %s', async (_, source, expected) => {
    expect(await charges(source)).toBe(expected);
  });
});
