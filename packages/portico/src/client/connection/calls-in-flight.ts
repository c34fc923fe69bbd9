import {
  ClientClosedError,
  ExecutionCancelledError,
  PlatformTimeoutError,
  QueueTimeoutError,
} from '../../errors/error-classes.js';
import { type PlatformError } from '../../errors/platform-error.js';

/** How long a call may take, in milliseconds. */
export interface CallLimits {
  /** For the platform: redirects, the pause before the retry and the retry included. */
  readonly timeoutMs: number;
  /** For all its waits in this process together: for a connection, and for its turn to read a large response. */
  readonly queueTimeoutMs: number;
}

/** A call that is being made, with one signal and one clock for everything that may end it early. */
export interface CallInFlight {
  /** Aborts when a limit has passed, when the caller cancels, and when the client is closed. */
  readonly signal: AbortSignal;
  /** Why the call was ended early; undefined otherwise. */
  readonly endedBy: PlatformError | undefined;
  /** Waits for a connection or a turn. The clock of the platform stands still, and that of the queue runs. */
  wait<T>(turn: Promise<T>): Promise<T>;
  /** Milliseconds left for the platform. */
  remaining(): number;
  /** Whether it has ended, or its time is over and it ends soon. */
  readonly isOver: boolean;
  /**
   * Has to be called before anything is sent: a timer may be late when the process is busy.
   * @throws what ended the call, if it has ended or a limit has passed
   */
  requireTime(): void;
  /** Starts the clock of the platform again. */
  renew(): void;
  /** Keeps the call in flight when its work has returned, until the returned function is called, once. */
  hold(): () => void;
}

/** The calls in flight on one connection, so that closing it ends all of them, whatever they wait for. */
export class CallsInFlight {
  readonly #calls = new Set<Call>();
  #isClosed = false;

  get size(): number {
    return this.#calls.size;
  }

  /**
   * Runs work within its limits. The promise settles when one has passed or on cancellation, even if the work does
   * not.
   * @param cancel the caller's signal
   * @throws PlatformTimeoutError, QueueTimeoutError when a limit has passed
   * @throws ExecutionCancelledError when the caller's signal aborts
   * @throws ClientClosedError when the connection was closed before or during the call
   */
  async run<T>(
    limits: CallLimits,
    cancel: AbortSignal | undefined,
    work: (call: CallInFlight) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw clientClosed();
    if (cancel?.aborted) throw cancelled(cancel);
    const onAbort = (): void => {
      if (cancel !== undefined) call.end(cancelled(cancel));
    };
    const call = new Call(limits, () => {
      this.#calls.delete(call);
      cancel?.removeEventListener('abort', onAbort);
    });
    this.#calls.add(call);
    cancel?.addEventListener('abort', onAbort);
    try {
      return await new Promise<T>((resolve, reject) => {
        call.onEnd = reject;
        work(call).then(resolve, reject);
      });
    } finally {
      call.release();
    }
  }

  /** Ends all calls in flight and refuses later ones. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls) call.end(clientClosed());
  }
}

type Clock = 'platform' | 'queue';

class Call implements CallInFlight {
  endedBy: PlatformError | undefined;
  onEnd: (error: PlatformError) => void = () => undefined;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #limits: Readonly<Record<Clock, number>>;
  readonly #left: Record<Clock, number>;
  readonly #onDone: () => void;
  #clock: Clock = 'platform';
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #timerMs = 0;
  /** The first is that of the work. */
  #holds = 1;

  constructor({ timeoutMs, queueTimeoutMs }: CallLimits, onDone: () => void) {
    this.#limits = { platform: timeoutMs, queue: queueTimeoutMs };
    this.#left = { ...this.#limits };
    this.#onDone = onDone;
    this.#setTimer();
  }

  remaining(): number {
    const running = this.#clock === 'platform' ? performance.now() - this.#since : 0;
    return this.#left.platform - running;
  }

  get isOver(): boolean {
    // Only by the clock that runs: nothing ends the call soon because of the other one.
    const running = performance.now() - this.#since;
    return this.endedBy !== undefined || this.#left[this.#clock] - running <= 0;
  }

  async wait<T>(turn: Promise<T>): Promise<T> {
    this.#run('queue');
    try {
      return await turn;
    } finally {
      this.#run('platform');
    }
  }

  requireTime(): void {
    if (this.endedBy === undefined && this.#left.queue <= 0) this.#expire('queue');
    if (this.endedBy === undefined && this.remaining() <= 0) this.#expire('platform');
    if (this.endedBy !== undefined) throw this.endedBy;
  }

  renew(): void {
    this.#left.platform = this.#limits.platform;
    this.#since = performance.now();
    if (this.#timerMs === this.#left.platform && this.endedBy === undefined) this.#timer?.refresh();
    else this.#setTimer();
  }

  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.release();
    };
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    clearTimeout(this.#timer);
    this.#onDone();
  }

  end(error: PlatformError): void {
    this.endedBy ??= error;
    clearTimeout(this.#timer);
    this.onEnd(error);
    this.#controller.abort(error);
  }

  #run(clock: Clock): void {
    const now = performance.now();
    this.#left[this.#clock] -= now - this.#since;
    this.#clock = clock;
    this.#since = now;
    this.#setTimer();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.endedBy !== undefined) return;
    const clock = this.#clock;
    this.#timerMs = Math.max(0, this.#left[clock]);
    this.#timer = setTimeout(() => {
      endInTurn(() => {
        if (this.#holds > 0) this.#expire(clock);
      });
    }, this.#timerMs);
  }

  #expire(clock: Clock): void {
    this.end(LATE[clock](this.#limits[clock]));
  }
}

/** Calls that end in one iteration of the event loop because their time is over. */
const ENDS_PER_ITERATION = 8;
const ends: (() => void)[] = [];

/**
 * Ends a call whose time is over. Hundreds that began at the same time are over at the same time, and to end them in
 * one go would keep everybody else waiting for half a second.
 */
function endInTurn(end: () => void): void {
  if (ends.push(end) === 1) setImmediate(endNext);
}

function endNext(): void {
  for (const end of ends.splice(0, ENDS_PER_ITERATION)) end();
  if (ends.length > 0) setImmediate(endNext);
}

const LATE: Readonly<Record<Clock, (limitMs: number) => PlatformError>> = {
  platform: (ms) =>
    new PlatformTimeoutError(`The platform did not answer within ${ms} ms (timeoutMs).`, { retryable: true }),
  queue: (ms) =>
    new QueueTimeoutError(
      `The call waited ${ms} ms (queueTimeoutMs) for its turn: more calls are made at once than this client has ` +
        'connections for. Raise queueTimeoutMs, or maxCallsPerSession if they are of one session.',
      { retryable: true },
    ),
};

/** With the caller's own reason as cause, such as the `TimeoutError` of `AbortSignal.timeout`. */
function cancelled({ reason }: AbortSignal): ExecutionCancelledError {
  const isTimeout = (reason as { name?: unknown } | undefined)?.name === 'TimeoutError';
  const why = isTimeout
    ? "The time limit of the caller's signal passed."
    : 'The call was canceled by its caller.';
  return new ExecutionCancelledError(why, { cause: reason });
}

function clientClosed(): ClientClosedError {
  return new ClientClosedError('The client is closed.');
}
