import { describe, expect, it } from '@jest/globals';
import { AnswerTurns } from '../../src/load/answer-turns.js';
import { ExecutionCancelledError } from 'portico/client';
import { AnswerInMaking } from '../../src/graphql/answer-in-making.js';
import { type PlannedField } from '../../src/graphql/answer-plan.js';

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

describe('the answer in making', () => {
  it('is made no further once its caller has hung up, and lets others have its turn', async () => {
    const turns = new AnswerTurns();
    const answerFor = (name: string, gone: AbortSignal): AnswerInMaking =>
      new AnswerInMaking(NO_LIMIT, turns, { name, gone: () => gone });
    const caller = new AbortController();
    const answer = answerFor('caller', caller.signal);
    expect(await answer.add(LARGE, SELECTED)).toBe(LARGE);

    caller.abort();

    await expect(answer.add(LARGE, SELECTED)).rejects.toThrow(ExecutionCancelledError);
    await expect(answerFor('caller', caller.signal).add(LARGE, SELECTED)).rejects.toThrow(
      ExecutionCancelledError,
    );
    answer.sending();
    expect(await answerFor('other', new AbortController().signal).add(LARGE, SELECTED)).toBe(LARGE);
  });

  it('asks only for a large value whether its caller is there', () => {
    const answer = new AnswerInMaking(NO_LIMIT, new AnswerTurns(), {
      name: 'caller',
      gone: () => {
        throw new Error('asked');
      },
    });
    expect(answer.add([{ id: 1 }], SELECTED)).toEqual([{ id: 1 }]);
  });
});
