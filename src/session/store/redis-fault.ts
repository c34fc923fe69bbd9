import { expectReply, type Reconnecting, type ReplyForm } from './redis-replies.js';
import { withinTime } from './within-time.js';
import { ServiceError, storeUnavailable } from '../../errors/service-error.js';

/** An error reply starts with one word in capitals that says what is wrong, such as OOM or READONLY. */
const REPLY_WORD = /^[A-Z]{2,32}(?= )/;
/** The messages of the client itself that are safe; any other may quote a command and its arguments. */
const CLIENT_FAULTS: readonly [RegExp, string][] = [
  [/^Socket timeout|^connect ETIMEDOUT/, 'it does not answer in time'],
  [/^Stream isn't writeable|^Connection is closed|^Reached the max retries/, 'there is no connection'],
];

/** Says briefly what is wrong with Redis; never contains what was sent to it or its address. */
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

/** An error of the Redis client contains the command and all of its arguments; none of that is passed on. */
export async function orUnavailable<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await withinTime(command(), COMMAND_TIMEOUT_MS);
  } catch (error) {
    if (ServiceError.is(error, 'SESSION_STORE_UNAVAILABLE')) throw error;
    throw storeUnavailable(redisFault(error));
  }
}

/**
 * Sends a command and checks that its reply has the form that the command returns.
 *
 * @throws ServiceError SESSION_STORE_UNAVAILABLE
 */
export async function askRedis<T>(
  redis: Reconnecting,
  hasForm: ReplyForm<T>,
  command: () => Promise<unknown>,
): Promise<T> {
  return expectReply(redis, await orUnavailable(command), hasForm);
}
