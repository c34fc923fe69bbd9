import { type FormattedExecutionResult } from 'graphql';
import { ExecutionCancelledError } from 'portico/client';
import { largeBytes, ownBytes } from 'portico/internal';
import { type AnswerBudget } from '../limits/answer-budget.js';

type Answer = Pick<FormattedExecutionResult, 'errors' | 'data' | 'extensions'>;

/** The budgets of large answers that Apollo is about to write, by their data. */
const budgets = new WeakMap<object, AnswerBudget>();

/** Notes whose answer it is that Apollo writes next, and ends the turn of one that is not large. */
export function beforeWriting({ data }: Answer, budget: AnswerBudget): void {
  if (budget.isHeavy && data !== null && data !== undefined) budgets.set(data, budget);
  else budget.sending();
}

/**
 * Writes an answer of Apollo's. Its type is a text, but Apollo hands what it is given to Fastify, which takes bytes
 * as well: as a text, some megabytes would be copied three times in one go.
 */
export function writeAnswer(answer: Answer): string | Promise<string> {
  const budget = answer.data ? budgets.get(answer.data) : undefined;
  return budget === undefined ? answerText(answer) : (writeWithin(budget, answer) as Promise<string>);
}

/** The text of an answer or, if that is large, its bytes. Then others may have its turn. */
export async function writeWithin(budget: AnswerBudget, answer: Answer): Promise<string | Buffer> {
  try {
    return budget.isHeavy ? await bytesOf(answer, () => budget.nextPart(), budget.bytes) : answerText(answer);
  } catch (error) {
    // The caller has hung up, so no one reads it.
    if (error instanceof ExecutionCancelledError) return '';
    throw error;
  } finally {
    budget.sending();
  }
}

/** What the budget does not count: errors, and what is around the data. */
const MORE_BYTES = 64 * 1024;

/** Each piece is written to its place in the part in which it is made. */
async function bytesOf(answer: Answer, nextPart: () => Promise<void>, expected: number): Promise<Buffer> {
  let bytes: Buffer = largeBytes(expected + MORE_BYTES);
  let end = 0;
  for await (const piece of answerPieces(answer, nextPart)) {
    const length = Buffer.byteLength(piece);
    if (end + length > bytes.byteLength) bytes = Buffer.concat([bytes], 2 * (end + length));
    end += bytes.write(piece, end);
  }
  return ownBytes(bytes.subarray(0, end));
}

/** The text of an answer, as Apollo writes it. */
export function answerText({ errors, data, extensions }: Answer): string {
  return `${JSON.stringify({ errors, data, extensions })}\n`;
}

/** Items of a list that are written in a few milliseconds. */
const ITEMS = 5000;

/**
 * The text of a large answer, which is the same, in pieces. Written as a whole, it would keep others waiting for as
 * long as it takes to write some megabytes.
 *
 * @param nextPart waits for an iteration of the event loop.
 */
export async function* answerPieces(answer: Answer, nextPart: () => Promise<void>): AsyncGenerator<string> {
  const { errors, data, extensions } = answer;
  if (data === null || data === undefined) {
    yield answerText(answer);
    return;
  }
  yield errors === undefined ? '{"data":{' : `{"errors":${JSON.stringify(errors)},"data":{`;
  let comma = '';
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue;
    yield `${comma}${JSON.stringify(name)}:`;
    comma = ',';
    if (Array.isArray(value)) yield* listPieces(value, nextPart);
    else yield JSON.stringify(value);
  }
  yield extensions === undefined ? '}}\n' : `},"extensions":${JSON.stringify(extensions)}}\n`;
}

async function* listPieces(items: readonly unknown[], nextPart: () => Promise<void>): AsyncGenerator<string> {
  yield '[';
  for (let at = 0; at < items.length; at += ITEMS) {
    await nextPart();
    if (at > 0) yield ',';
    yield JSON.stringify(items.slice(at, at + ITEMS)).slice(1, -1);
  }
  yield ']';
}
