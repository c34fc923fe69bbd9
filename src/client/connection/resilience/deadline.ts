import { ExecutionCancelledError, PlatformTimeoutError } from '../../errors/error-classes.js';

/** What remains of the time of one call. */
export interface Deadline {
  /** Aborts at the deadline, and when the call is stopped. */
  readonly signal: AbortSignal;
  /** Milliseconds left. */
  remaining(): number;
}

/**
 * Runs work under one budget for everything in it. It settles at the deadline or when it is stopped, even if the work would
 * not.
 * @param stops what may end it before, such as the caller's signal
 * @throws PlatformTimeoutError at the deadline
 * @throws ExecutionCancelledError when one of the stops aborts
 */
export async function withDeadline<T>(
  timeoutMs: number,
  stops: readonly (AbortSignal | undefined)[],
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  if (stops.some((stop) => stop?.aborted)) throw cancelled();
  const controller = new AbortController();
  const ends = performance.now() + timeoutMs;
  let end: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = (error) => {
      reject(error);
      controller.abort();
    };
  });
  const timer = setTimeout(() => {
    const message = `The platform did not answer within ${timeoutMs} ms.`;
    end(new PlatformTimeoutError(message, { retryable: true }));
  }, timeoutMs);
  const onAbort = (): void => {
    end(cancelled());
  };
  try {
    for (const stop of stops) stop?.addEventListener('abort', onAbort, { once: true });
    const deadline = { signal: controller.signal, remaining: () => ends - performance.now() };
    return await Promise.race([ended, work(deadline)]);
  } finally {
    clearTimeout(timer);
    for (const stop of stops) stop?.removeEventListener('abort', onAbort);
  }
}

function cancelled(): ExecutionCancelledError {
  return new ExecutionCancelledError('The call was cancelled by its caller.');
}
