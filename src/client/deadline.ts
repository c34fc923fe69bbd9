import { ExecutionCancelledError, PlatformTimeoutError } from './platform-error-kinds.js';

/** What remains of the time of one call. */
export interface Deadline {
  /** Aborts at the deadline and when the caller aborts. */
  readonly signal: AbortSignal;
  /** Milliseconds left. */
  remaining(): number;
}

/**
 * Runs work under one budget for everything in it. It settles at the deadline or when the caller aborts, even if the
 * work would not.
 * @throws PlatformTimeoutError at the deadline
 * @throws ExecutionCancelledError when the caller aborts
 */
export async function withDeadline<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  if (caller?.aborted) throw cancelled();
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
  caller?.addEventListener('abort', onAbort, { once: true });
  try {
    const deadline = { signal: controller.signal, remaining: () => ends - performance.now() };
    return await Promise.race([ended, work(deadline)]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', onAbort);
  }
}

function cancelled(): ExecutionCancelledError {
  return new ExecutionCancelledError('The call was cancelled by its caller.');
}
