import { UnexpectedReplyError } from './redis-socket.js';
import { type StoreFault } from './store-health.js';

/**
 * An error reply starts with one word in capitals that says what is wrong, such as OOM or READONLY. Redis 6 quotes
 * it in that of a script.
 */
const REPLY_WORD = /^(?:(?:ERR Error running script|@user_script)[^]*: -)?([A-Z]{2,32}) /;
export const NO_CONNECTION = 'there is no connection';
/** The messages of the client itself that are safe; any other may quote a command and its arguments. */
const CLIENT_FAULTS: readonly [RegExp, string][] = [
  [/^Socket timeout|^connect ETIMEDOUT/, 'it does not answer in time'],
  [/^Unknown RESP type|^Protocol error/, 'NOT_REDIS'],
  [
    /^Stream isn't writeable|^Connection is closed|^Reached the max retries|^None of startup nodes|^Cluster isn't ready|^Failed to refresh slots cache|^Cluster is |^Too many Cluster|^Command aborted|^Node is |^All sentinels are unreachable/,
    NO_CONNECTION,
  ],
];

/** Says briefly what is wrong with Redis; never contains what was sent to it or its address. */
export function redisFault(error: unknown): string {
  const { message, code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (typeof message !== 'string') return 'unknown error';
  if (error instanceof UnexpectedReplyError) return 'it gave an answer that nothing asked for';
  const said = CLIENT_FAULTS.find(([pattern]) => pattern.test(message))?.[1];
  if (said !== undefined) return said;
  if (code !== undefined && /^[A-Z0-9_]+$/.test(code)) return code;
  return REPLY_WORD.exec(message)?.[1] ?? 'Redis refused a command';
}

/** What an error reply says of the store; undefined if it says nothing of the store as a whole. */
export function faultOfWord(word: string): StoreFault | undefined {
  if (word === 'OOM') return 'full';
  if (['READONLY', 'NOREPLICAS', 'MISCONF'].includes(word)) return 'read_only';
  return word === 'CLUSTERDOWN' ? 'unreachable' : undefined;
}

/** What is wrong where REDIS_URL leads, for an operator who sets it up. */
const IN_WORDS: readonly [RegExp, string][] = [
  [/^NOAUTH/, 'it needs a password'],
  [/^WRONGPASS/, 'it refuses the user or the password'],
  [/^NOPERM/, 'its user lacks permissions (docs/operations.md lists them)'],
  [/^ECONNREFUSED/, 'nothing listens at that port'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'its host name is not known'],
  [/^(EPROTO|ERR_SSL)/, 'it does not speak TLS at that port: use redis://, or its TLS port'],
  [/^SILENT_TLS/, 'it does not answer in TLS at that port: use redis://, or its TLS port'],
  [/CERT|SIGNED|ERR_TLS/, 'its certificate is not trusted, see REDIS_TLS_CA'],
  [/^(the connection is lost|ECONNRESET)/, 'it closes each connection: a port with TLS needs rediss://'],
  [/^NOT_REDIS/, 'what answers at that port is not Redis'],
];

/** The reason of a fault in words that say what to change; the reason itself if there are none. */
export function inWords(reason: string): string {
  const words = IN_WORDS.find(([pattern]) => pattern.test(reason))?.[1];
  return words === undefined ? reason : `${words} (${reason})`;
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

export function isSummaryOrNone(answer: unknown): answer is [string, string, string] | null {
  return answer === null || areStrings(answer, [/^\d+$/, /^/, /^\d+$/]);
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

export function isListOfStrings(answer: unknown): answer is string[] {
  return Array.isArray(answer) && (answer as unknown[]).every(isString);
}

export function isString(answer: unknown): answer is string {
  return typeof answer === 'string';
}

/** So many counts. */
export function areCounts(how: number): ReplyForm<number[]> {
  return (answer): answer is number[] =>
    Array.isArray(answer) &&
    answer.length === how &&
    (answer as unknown[]).every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
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
  return (
    Array.isArray(answer) &&
    answer.length === patterns.length &&
    patterns.every((pattern, index) => {
      const text: unknown = answer[index];
      return typeof text === 'string' && pattern.test(text);
    })
  );
}
