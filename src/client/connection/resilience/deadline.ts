import { ExecutionCancelledError, PlatformTimeoutError } from '../../errors/error-classes.js';

/** The time budget of one call. */
export interface Deadline {
  /** Aborts at the deadline or when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds left. */
  remaining(): number;
}

/**
 * Runs work within one time budget. The promise settles at the deadline or on cancellation, even if the work does not.
 * @param signals cancel the work early, such as the caller's signal
 * @throws PlatformTimeoutError at the deadline
 * @throws ExecutionCancelledError when one of the signals aborts
 */
export async function withDeadline<T>(
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  if (signals.some((each) => each?.aborted)) throw cancelled();
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
    for (const each of signals) each?.addEventListener('abort', onAbort, { once: true });
    const deadline = { signal: controller.signal, remaining: () => ends - performance.now() };
    return await Promise.race([ended, work(deadline)]);
  } finally {
    clearTimeout(timer);
    for (const each of signals) each?.removeEventListener('abort', onAbort);
  }
}

function cancelled(): ExecutionCancelledError {
  return new ExecutionCancelledError('The call was cancelled by its caller.');
}
