import { describe, expect, it, vi } from 'vitest';
import { AnswerBudget } from '../../../src/graphql/limits/answer-budget.js';
import { AnswerTurns } from '../../../src/load/answer-turns.js';
import {
  answerPieces,
  answerText,
  beforeWriting,
  writeAnswer,
  writeWithin,
} from '../../../src/graphql/execution/answer-text.js';

const item = (n: number): object => ({ id: `${n}`, name: n % 7 === 0 ? null : `"${n}" \u2028 ä` });
const items = (count: number): object[] => Array.from({ length: count }, (_, n) => item(n));
const ERROR = { message: 'too large', path: ['b'], extensions: { code: 'X' } };

const pieces = (
  answer: Parameters<typeof answerText>[0],
  nextPart = (): Promise<void> => Promise.resolve(),
): Promise<string[]> => Array.fromAsync(answerPieces(answer, nextPart));

function budgetOf(gone = new AbortController().signal): AnswerBudget {
  return new AnswerBudget({ nodes: Infinity, bytes: Infinity }, new AnswerTurns(), {
    party: () => ['caller'],
    gone: () => gone,
  });
}

/** The budget of an answer that has a long list. */
async function heavyBudget(list: object[], gone?: AbortSignal): Promise<AnswerBudget> {
  const budget = budgetOf(gone);
  const field = { keyBytes: 5, constantBytes: 0, isJson: false, fields: undefined, conditions: undefined };
  budget.completesInParts = false;
  await budget.add(list, {
    plan: ['id', 'name'].map((property) => ({ ...field, property })),
    variables: {},
  });
  return budget;
}

describe('the text of a large answer', () => {
  it.each<[string, Parameters<typeof answerText>[0]]>([
    ['lists of all lengths', { data: { none: [], one: items(1), part: items(5000), more: items(5001) } }],
    ['no data', { data: null, errors: [ERROR] }],
    ['neither data nor errors', { data: undefined }],
    ['a field without a value', { data: { a: undefined, b: null, c: 1, d: 'x', e: { f: items(2) } } }],
    ['entries without a value', { data: { a: [undefined, null, 1, 'x', [1, 2]] }, errors: [] }],
    ['extensions', { data: { a: items(1) }, extensions: { cost: 1 } }],
    ['errors beside data', { data: { a: items(12_000), b: null }, errors: [ERROR, ERROR] }],
  ])('is the text of a small one: %s', async (_which, answer) => {
    expect((await pieces(answer)).join('')).toBe(answerText(answer));
  });

  it('is written a few thousand items at a time', async () => {
    let parts = 0;
    const nextPart = (): Promise<void> => {
      parts += 1;
      return Promise.resolve();
    };
    await pieces({ data: { a: items(9990), b: items(3) } }, nextPart);
    expect(parts).toBe(3);
  });

  it('is not finished once its caller has hung up', async () => {
    const nextPart = (): Promise<void> => Promise.reject(new Error('gone'));
    await expect(pieces({ data: { a: items(1) } }, nextPart)).rejects.toThrow('gone');
  });

  it.each([0, 1, 500, 10_000])('is the same as bytes, with %d errors beside it', async (count) => {
    const answer = {
      data: { a: items(30_000), b: null },
      ...(count > 0 && {
        errors: Array.from({ length: count }, () => ({ ...ERROR, message: 'ä'.repeat(200) })),
      }),
    };
    const text = await writeWithin(await heavyBudget(answer.data.a), answer);
    expect(Buffer.isBuffer(text)).toBe(true);
    expect(text.toString()).toBe(answerText(answer));
  });

  it('is written in parts, and then others may have its turn', async () => {
    const budget = await heavyBudget(items(30_000));
    const [nextPart, sending] = [vi.spyOn(budget, 'nextPart'), vi.spyOn(budget, 'sending')];
    await writeWithin(budget, { data: { a: items(30_000) } });
    expect(nextPart).toHaveBeenCalledTimes(6);
    expect(sending).toHaveBeenCalledTimes(1);
  });

  it('is empty for a caller who has hung up, and others may have its turn', async () => {
    const caller = new AbortController();
    const budget = await heavyBudget(items(30_000), caller.signal);
    const sending = vi.spyOn(budget, 'sending');
    caller.abort();
    expect(await writeWithin(budget, { data: { a: items(30_000) } })).toBe('');
    expect(sending).toHaveBeenCalledTimes(1);
  });

  it('fails where it cannot be written, and others may have its turn', async () => {
    const budget = await heavyBudget(items(30_000));
    const sending = vi.spyOn(budget, 'sending');
    await expect(writeWithin(budget, { data: { a: 1n } })).rejects.toThrow(TypeError);
    expect(sending).toHaveBeenCalledTimes(1);
  });
});

describe('an answer of Apollo', () => {
  it('is written in parts as bytes if it is large', async () => {
    const answer = { data: { a: items(30_000) } };
    const budget = await heavyBudget(answer.data.a);
    const sending = vi.spyOn(budget, 'sending');
    beforeWriting(answer, budget);
    expect(sending).not.toHaveBeenCalled();
    const text: unknown = await writeAnswer(answer);
    expect(Buffer.isBuffer(text)).toBe(true);
    expect(String(text)).toBe(answerText(answer));
    expect(sending).toHaveBeenCalledTimes(1);
  });

  it.each([{ a: 1 }, null, undefined])('is a text otherwise, and has no turn: %j', async (data) => {
    const budget = data === undefined || data === null ? await heavyBudget(items(30_000)) : budgetOf();
    const sending = vi.spyOn(budget, 'sending');
    beforeWriting({ data }, budget);
    expect(sending).toHaveBeenCalledTimes(1);
    expect(writeAnswer({ data })).toBe(answerText({ data }));
  });
});
