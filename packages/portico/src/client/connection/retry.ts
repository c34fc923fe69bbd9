import { setTimeout as pause } from 'node:timers/promises';
import { PlatformUnreachableError } from '../../errors/error-classes.js';
import { type PlatformResponse } from './platform-response.js';
import { isGatewayFailure, retryAfterSeconds } from './response-error.js';
import { type CallInFlight } from './calls-in-flight.js';

/** Retries that a connection may always run at the same time. */
const MIN_RETRIES = 3;

/** Share of the calls in flight that may be retries, above the minimum. */
const RETRY_SHARE = 0.2;

/**
 * Limits the retries of one connection that run together, pauses included: a platform that fails under its load must
 * not get twice that load.
 */
export class RetryBudget {
  readonly #callsInFlight: () => number;
  #retries = 0;

  constructor(callsInFlight: () => number) {
    this.#callsInFlight = callsInFlight;
  }

  /** Runs a retry if the budget allows it; returns undefined, immediately, if not. */
  retry<T>(attempt: () => Promise<T>): Promise<T> | undefined {
    if (this.#retries >= Math.max(MIN_RETRIES, RETRY_SHARE * this.#callsInFlight())) return undefined;
    this.#retries += 1;
    return attempt().finally(() => (this.#retries -= 1));
  }
}

/**
 * What caused a retry: the status of the first response, or the class of the error if there was none.
 * @example
 * const retried = ({ status, waitMs }: RetryCause): void => console.log(status, waitMs);
 * await using client = new PlatformClient({ baseUrl, observeCall: () => ({ retried }) });
 */
export interface RetryCause {
  /** The status of the answer, if there was one. */
  readonly status: number | undefined;
  /** What the transport reported, if there was no answer. */
  readonly error: string | undefined;
  /** The pause before the retry. */
  readonly waitMs: number;
}

/**
 * Retries once after a transient failure: connection refused or reset, a gateway's failure (502 to 504, 520 to 524
 * without a platform code), or 429 with `Retry-After`. The pause is 50 to 250 ms or `Retry-After`. There is no retry
 * when the pause exceeds the deadline or the budget is used up.
 * @param onRetry called before the pause
 */
export async function withOneRetry<R extends PlatformResponse>(
  call: CallInFlight,
  budget: RetryBudget,
  now: () => number,
  send: () => Promise<R>,
  onRetry: (cause: RetryCause) => void = () => undefined,
): Promise<R> {
  let first: R | PlatformUnreachableError;
  try {
    first = await send();
    if (first.status < 400 || !isTransient(first)) return first;
  } catch (error) {
    if (!(error instanceof PlatformUnreachableError) || error.reason !== 'CONNECT') throw error;
    first = error;
  }
  const requested = first instanceof PlatformUnreachableError ? undefined : retryAfterSeconds(first, now());
  const waitMs = requested === undefined ? jitterMs() : requested * 1000;
  const attempt = async (): Promise<R> => {
    if (!(first instanceof PlatformUnreachableError)) first.abandon();
    const { status, error } =
      first instanceof PlatformUnreachableError
        ? { status: undefined, error: first.name }
        : { status: first.status, error: undefined };
    onRetry({ status, error, waitMs });
    await pause(waitMs, undefined, { signal: call.signal });
    return send();
  };
  const second = waitMs < call.remaining() ? budget.retry(attempt) : undefined;
  if (second !== undefined) return second;
  if (first instanceof PlatformUnreachableError) throw first;
  return first;
}

function isTransient(response: PlatformResponse): boolean {
  if (response.status === 429) return response.header('retry-after') !== undefined;
  return isGatewayFailure(response);
}

function jitterMs(): number {
  return 50 + Math.random() * 200;
}
