import { UnexpectedReplyError } from './redis-socket.js';

/**
 * An error reply starts with one word in capitals that says what is wrong, such as OOM or READONLY. Redis 6 quotes
 * it in a script's.
 */
const REPLY_WORD = /: -([A-Z]{2,32}) |^([A-Z]{2,32}) /;
/** The messages of the client itself that are safe; any other may quote a command and its arguments. */
const CLIENT_FAULTS: readonly [RegExp, string][] = [
  [/^Socket timeout|^connect ETIMEDOUT/, 'it does not answer in time'],
  [/^Stream isn't writeable|^Connection is closed|^Reached the max retries/, 'there is no connection'],
];

/** Says briefly what is wrong with Redis; never contains what was sent to it or its address. */
export function redisFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof UnexpectedReplyError) return 'it gave an answer that nothing asked for';
  const said = CLIENT_FAULTS.find(([pattern]) => pattern.test(error.message))?.[1];
  if (said !== undefined) return said;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && /^[A-Z0-9_]+$/.test(code)) return code;
  const [, quoted, first] = REPLY_WORD.exec(error.message) ?? [];
  return quoted ?? first ?? 'Redis refused a command';
}

/** Whether the answer of a script has the form that it returns. */
export type ReplyForm<T> = (answer: unknown) => answer is T;

export function isEndOrTaken(answer: unknown): answer is string | null {
  return answer === null || (typeof answer === 'string' && /^\d+$/.test(answer));
}

export function isSessionOrNone(answer: unknown): answer is [string, string, string] | null {
  return answer === null || areStrings(answer, [/^\d+$/, /^\d+$/, /^/]);
}

export function isPeekedOrNone(answer: unknown): answer is [string, string, string, string, string] | null {
  return answer === null || areStrings(answer, [/^\d+$/, /^\d+$/, /^/, /^\d+$/, /^(\d+\.\d+)?$/]);
}

export function isCountOrNone(answer: unknown): answer is number | null {
  return answer === null || answer === 0 || answer === 1;
}

export function isLeaseState(answer: unknown): answer is 'taken' | 'held' | 'settled' {
  return answer === 'taken' || answer === 'held' || answer === 'settled';
}

export function isOne(answer: unknown): answer is 1 {
  return answer === 1;
}

/** As many strings as there are patterns, each of its pattern or missing. */
export function areStringsOrNone(patterns: readonly RegExp[]): ReplyForm<(string | null)[]> {
  return (answer): answer is (string | null)[] =>
    Array.isArray(answer) &&
    answer.length === patterns.length &&
    patterns.every((pattern, index) => {
      const text: unknown = answer[index];
      return text === null || (typeof text === 'string' && pattern.test(text));
    });
}

/** A count, and the milliseconds until it ends. */
export function isCountAndTime(answer: unknown): answer is [number, number] {
  return (
    Array.isArray(answer) &&
    answer.length === 2 &&
    (answer as unknown[]).every((part) => Number.isSafeInteger(part) && (part as number) >= 0)
  );
}

/** The milliseconds that a key has left; negative if there is no such key. */
export function isTimeLeft(answer: unknown): answer is number {
  return Number.isSafeInteger(answer) && (answer as number) >= -2;
}

function areStrings(answer: unknown, patterns: readonly RegExp[]): boolean {
  return areStringsOrNone(patterns)(answer) && answer.every((text) => text !== null);
}
