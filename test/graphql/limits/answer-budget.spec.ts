import { setImmediate as nextIteration } from 'node:timers/promises';
import { buildSchema, graphql, type GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ExecutionCancelledError } from 'portico/client';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
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

  it('is spent exactly by small values too, of which a bound was enough before', () => {
    const value = items(2, 'x'.repeat(100));
    const { bytes } = answerSize({ value, ...SELECTED }, NO_LIMIT);
    const answer = budget({ nodes: 1000, bytes: 20 * bytes });
    for (let time = 0; time < 20; time += 1) expect(answer.add(value, SELECTED)).toBe(value);
    expect(answer.bytes).toBe(20 * bytes);
    expect(() => answer.add(items(1), SELECTED)).toThrow('bytes');
  });

  it('is not large by a bound: values of half a megabyte follow without a turn', () => {
    const answer = budget({ nodes: 1000, bytes: Infinity });
    const value = items(1, 'x'.repeat(250_000));
    for (let time = 0; time < 2; time += 1) expect(answer.add(value, SELECTED)).toBe(value);
    expect(answer.isHeavy).toBe(false);
  });

  it('counts values, and leaves room for smaller ones after one that did not fit', () => {
    const tight = budget({ nodes: 10, bytes: 100_000 });
    expect(() => tight.add(items(20), SELECTED)).toThrow(
      'The answer would have more than 10 values (GRAPHQL_MAX_ANSWER_NODES): request less data',
    );
    for (let time = 0; time < 3; time += 1) expect(tight.add(items(1), SELECTED)).toHaveLength(1);
    expect(() => tight.add(items(1), SELECTED)).toThrow('GRAPHQL_MAX_ANSWER_NODES');
    const exact = budget({ nodes: 9, bytes: 100_000 });
    for (let time = 0; time < 3; time += 1) expect(exact.add(items(1), SELECTED)).toHaveLength(1);
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
      const add = (): Promise<unknown> => Promise.resolve(answer.add(LARGE, SELECTED));
      const refused = {
        status: 'rejected',
        reason: expect.objectContaining({ constructor: ServiceError, reason: 'ANSWER_TOO_LARGE' }),
      };
      expect(await Promise.allSettled([add(), add(), add()])).toEqual([refused, refused, refused]);
      expect(answer.bytes).toBe(0);
      expect(answer.add([{ id: 1 }], SELECTED)).toEqual([{ id: 1 }]);
      await expect(answer.add(LARGE, SELECTED)).rejects.toThrow('GRAPHQL_MAX_ANSWER_BYTES');
    },
  );

  it('that does not fit leaves the values of its large parts for small ones', async () => {
    const answer = budget({ nodes: 20_003, bytes: Infinity });
    const parts = await Promise.allSettled([1, 2, 3].map(async () => answer.add(LARGE, SELECTED)));
    expect(parts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(answer.add(LARGE, SELECTED)).rejects.toThrow('GRAPHQL_MAX_ANSWER_NODES');
    expect(answer.add(LARGE.slice(0, 3999), SELECTED)).toHaveLength(3999);
  });

  it('is one of four thousand values, whether these are items or fields of items', async () => {
    const four = { plan: [ID, ID, ID, ID], variables: {} };
    expect(budget().add(LARGE.slice(0, 3999), SELECTED)).toHaveLength(3999);
    expect(budget().add(LARGE.slice(0, 999), four)).toHaveLength(999);
    expect(budget().search(3999)).toBeUndefined();
    for (const large of [
      budget().add(LARGE.slice(0, 4000), SELECTED),
      budget().add(LARGE.slice(0, 1000), four),
      budget().search(4000),
    ]) {
      expect(large).toBeInstanceOf(Promise);
      await large;
    }
  });

  it('is also one of more than a megabyte in few values', async () => {
    const answer = budget();
    const text = (bytes: number): unknown[] => [{ id: 'x'.repeat(bytes - '[{"id":""}]'.length) }];
    expect(answer.add(text(1024 * 1024), SELECTED)).toHaveLength(1);
    expect(answer.isHeavy).toBe(false);
    const next = answer.add([{ id: 'x' }], SELECTED);
    expect(answer.isHeavy).toBe(true);
    expect(next).toBeInstanceOf(Promise);
    expect(await next).toEqual([{ id: 'x' }]);
  });

  it('gives its turn to the next one of its session when it is sent', async () => {
    const turns = new AnswerTurns();
    const [first, second, third] = [1, 2, 3].map(
      () =>
        new AnswerBudget(NO_LIMIT, turns, {
          party: () => ['network', 'account', 'session'],
          gone: () => new AbortController().signal,
        }),
    ) as [AnswerBudget, AnswerBudget, AnswerBudget];
    await Promise.all([first, second].map(async (answer) => answer.add(LARGE, SELECTED)));
    let begun = false;
    void Promise.resolve(third.add(LARGE, SELECTED)).then(() => (begun = true));
    for (let iteration = 0; iteration < 10; iteration += 1) await nextIteration();
    expect(begun).toBe(false);
    first.sending();
    // A turn that nothing uses ends by itself, but later.
    await eventually(() => begun, 4_000);
    second.sending();
    third.sending();
  });

  it('that has no turn, or whose caller has hung up, has none to give', async () => {
    const turns = new AnswerTurns();
    const answer = new AnswerBudget(NO_LIMIT, turns, {
      party: () => ['caller'],
      gone: () => AbortSignal.abort(),
    });
    expect(() => {
      answer.sending();
    }).not.toThrow();
    await expect(answer.add(LARGE, SELECTED)).rejects.toThrow(ExecutionCancelledError);
    answer.sending();
    for (let iteration = 0; iteration < 3; iteration += 1) await nextIteration();
    expect(turns.size).toBe(0);
  });

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
      if (isCompiled) answer.completesInParts = false;
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
    Query: {
      user: () => user,
      later: () => Promise.resolve(user),
      nobody: () => null,
      nothing: () => undefined,
      count: () => 1,
      tags: () => ['a'],
      _service: () => ({ sdl: 'sdl' }),
    },
    Mutation: {
      login: () => ({ handle: 'h' }),
      rename: () => ({ count: 1, names: ['a'] }),
      show: () => ({ raw: {} }),
      find: () => ({ owner: user }),
      users: () => [user],
    },
    Login: { user: () => user },
    User: { name: rootFieldResolver },
    Renamed: { names: rootFieldResolver },
  };

  /** How often a resolver's value is charged to the answer to a document. */
  async function charges(source: string): Promise<number> {
    const schema = buildSchema(`
      scalar JSONObject
      type User { name: String }
      type Login { handle: String! user: User! }
      type Renamed { count: Int names: [String!]! }
      type _Service { sdl: String }
      type Shown { raw: JSONObject! }
      type Found { owner: User! }
      type Query {
        user: User! later: User nobody: User nothing: User count: Int tags: [String] _service: _Service
      }
      type Mutation { login: Login! rename: Renamed! show: Shown! find: Found! users: [User!]! }
    `);
    for (const [type, fields] of Object.entries(resolvers)) {
      const known = (schema.getType(type) as GraphQLObjectType).getFields();
      for (const [name, resolve] of Object.entries(fields)) Object.assign(known[name] ?? {}, { resolve });
    }
    let count = 0;
    const answer = {
      add: (value: unknown, selected: unknown) => {
        expect(selected).toEqual({ plan: expect.any(Array), variables: expect.anything() });
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
    ['an object that comes later', '{ later { name } }', 1],
    ['a list of scalars', '{ tags }', 1],
    ['no scalar', '{ count }', 0],
    ['nothing where there is nothing', '{ nobody { name } nothing { name } }', 0],
    ['nothing of the SDL', '{ _service { sdl } }', 0],
    ['nothing of the schema', '{ __schema { queryType { name } } }', 0],
    ['no object of scalars that a mutation returns', 'mutation { login { handle } }', 0],
    ['what else it has a resolver for', 'mutation { login { handle user { name } } }', 1],
    ['a list of a mutation', 'mutation { users { name } }', 1],
    ['a list in what it returns', 'mutation { rename { names } }', 1],
    ['an object in what it returns', 'mutation { find { owner { name } } }', 1],
    ['JSON in what it returns', 'mutation { show { raw } }', 1],
  ])('is %s', async (_, source, expected) => {
    expect(await charges(source)).toBe(expected);
  });

  it('can be told only where Nest names its resolvers as it does: else the service does not start', () => {
    expect(() => chargeAnswers(buildSchema('type Query { count: Int }'))).toThrow(
      "No field has Nest's resolver rootFieldResolver: it has another name now",
    );
  });
});
