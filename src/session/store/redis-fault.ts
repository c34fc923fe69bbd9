import { SessionStoreUnavailableError } from '../../errors/session-store-unavailable-error.js';
import { withinTime } from './wire/within-time.js';

/** Replies that say what is wrong begin with one word in capitals, such as OOM or READONLY. */
const REPLY_WORD = /^[A-Z]{2,32}(?= )/;
/** What the client itself says; everything else of its messages may quote a command and its arguments. */
const CLIENT_FAULTS: readonly [RegExp, string][] = [
  [/^Socket timeout|^connect ETIMEDOUT/, 'it does not answer in time'],
  [/^Stream isn't writeable|^Connection is closed|^Reached the max retries/, 'there is no connection'],
];

/** Says in a few words what is wrong with Redis; never anything that was sent to it, nor where it is. */
export function redisFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const said = CLIENT_FAULTS.find(([pattern]) => pattern.test(error.message))?.[1];
  if (said !== undefined) return said;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && /^[A-Z0-9_]+$/.test(code)) return code;
  return REPLY_WORD.exec(error.message)?.[0] ?? 'Redis refused a command';
}

/** How long a command may take, in milliseconds. */
const COMMAND_TIMEOUT_MS = 250;

/** Errors of the Redis client contain the command with everything that was sent; none of that is passed on. */
export async function orUnavailable<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await withinTime(command(), COMMAND_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof SessionStoreUnavailableError) throw error;
    throw new SessionStoreUnavailableError(redisFault(error));
  }
}
