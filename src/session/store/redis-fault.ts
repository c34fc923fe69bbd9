import { SessionStoreUnavailableError } from '../../errors/session-store-unavailable-error.js';

/** Replies that say what is wrong begin with one word in capitals, such as OOM or READONLY. */
const REPLY_WORD = /^[A-Z]{2,32}(?= )/;
/** What the client itself says; everything else of its messages may quote a command and its arguments. */
const CLIENT_FAULTS: readonly [RegExp, string][] = [
  [/^Command timed out|^Socket timeout|^connect ETIMEDOUT/, 'it does not answer in time'],
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

/** After this, in milliseconds, a command is given up. */
const COMMAND_TIMEOUT_MS = 250;

/** Errors of the Redis client contain the command with everything that was sent; none of that is passed on. */
export async function orUnavailable<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await inTime(command());
  } catch (error) {
    throw new SessionStoreUnavailableError(redisFault(error));
  }
}

/** The client has a time limit of its own, but takes an answer for late that this process was too busy to read. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      // What has arrived is read before this runs.
      setImmediate(() => {
        reject(new Error('Command timed out'));
      });
    }, COMMAND_TIMEOUT_MS);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
