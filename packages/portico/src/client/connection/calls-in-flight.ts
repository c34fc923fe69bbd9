import {
  ExecutionCancelledError,
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../../errors/error-classes.js';
import { type PlatformError } from '../../errors/platform-error.js';

/** A call that is being made, with one signal and one timer for everything that may end it early. */
export interface CallInFlight {
  /** Aborts at the deadline, when the caller cancels, and when the client is closed. */
  readonly signal: AbortSignal;
  /** Why the call was ended early; undefined otherwise. */
  readonly endedBy: PlatformError | undefined;
  /** Whether it has waited here, for a socket or its turn. Then a late response says little about the platform. */
  readonly hasWaited: boolean;
  /** Waits for a socket or a turn. */
  wait<T>(turn: Promise<T>): Promise<T>;
  /** Milliseconds left. */
  remaining(): number;
}

/** The calls in flight on one connection, so that closing it ends all of them, whatever they wait for. */
export class CallsInFlight {
  readonly #calls = new Set<Call>();
  #isClosed = false;

  get size(): number {
    return this.#calls.size;
  }

  /**
   * Runs work within one time budget. The promise settles at the deadline or on cancellation, even if the work does
   * not.
   * @param cancel the caller's signal
   * @throws PlatformTimeoutError at the deadline
   * @throws ExecutionCancelledError when the caller's signal aborts
   * @throws PlatformUnreachableError when the connection was closed before or during the call
   */
  async run<T>(
    timeoutMs: number,
    cancel: AbortSignal | undefined,
    work: (call: CallInFlight) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw clientClosed();
    if (cancel?.aborted) throw cancelled();
    const call = new Call(timeoutMs);
    this.#calls.add(call);
    const onAbort = (): void => {
      call.end(cancelled());
    };
    cancel?.addEventListener('abort', onAbort);
    try {
      return await new Promise<T>((resolve, reject) => {
        call.onEnd = reject;
        work(call).then(resolve, reject);
      });
    } finally {
      this.#calls.delete(call);
      call.done();
      cancel?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends all calls in flight and refuses later ones. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls) call.end(clientClosed());
  }
}

class Call implements CallInFlight {
  endedBy: PlatformError | undefined;
  hasWaited = false;
  #isWaiting = false;
  onEnd: (error: PlatformError) => void = () => undefined;
  readonly #controller = new AbortController();
  readonly #ends: number;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#ends = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => {
      this.end(timedOut(timeoutMs, this.#isWaiting));
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  remaining(): number {
    return this.#ends - performance.now();
  }

  async wait<T>(turn: Promise<T>): Promise<T> {
    this.#isWaiting = true;
    this.hasWaited = true;
    const result = await turn;
    this.#isWaiting = false;
    return result;
  }

  end(error: PlatformError): void {
    this.endedBy ??= error;
    this.onEnd(error);
    this.#controller.abort(error);
  }

  done(): void {
    clearTimeout(this.#timer);
  }
}

function timedOut(timeoutMs: number, isWaiting: boolean): PlatformTimeoutError {
  const message = isWaiting
    ? `No connection to the platform was free within ${timeoutMs} ms.`
    : `The platform did not answer within ${timeoutMs} ms.`;
  return new PlatformTimeoutError(message, { retryable: true });
}

function cancelled(): ExecutionCancelledError {
  return new ExecutionCancelledError('The call was canceled by its caller.');
}

function clientClosed(): PlatformUnreachableError {
  return new PlatformUnreachableError('The client is closed.', 'CONNECT', { retryable: false });
}
