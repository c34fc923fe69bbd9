import { setTimeout as pause } from 'node:timers/promises';
import { type Deadline } from './deadline.js';
import { PlatformUnreachableError } from '../../errors/error-classes.js';
import { namesACode } from '../response/names-a-code.js';
import { type PlatformResponse } from '../response/platform-response.js';
import { type RetryBudget } from './retry-budget.js';
import { retryAfterSeconds } from '../response/retry-after.js';

const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends once more after a failure that passes: connection refused or reset, 502, 503 or 504 without a platform code, or
 * 429 that says how long to wait. The pause is 50 to 250 ms or `Retry-After`; one that does not fit the deadline,
 * or the budget, is not begun.
 */
export async function withOneRetry(
  deadline: Deadline,
  budget: RetryBudget,
  now: () => number,
  send: () => Promise<PlatformResponse>,
): Promise<PlatformResponse> {
  let first: PlatformResponse | PlatformUnreachableError;
  try {
    first = await send();
    if (!isPassing(first)) return first;
  } catch (error) {
    if (!(error instanceof PlatformUnreachableError) || error.reason !== 'CONNECT') throw error;
    first = error;
  }
  const asked = first instanceof PlatformUnreachableError ? undefined : retryAfterSeconds(first, now());
  const wait = asked === undefined ? jitter() : asked * 1000;
  const repeat = async (): Promise<PlatformResponse> => {
    await pause(wait, undefined, { signal: deadline.signal });
    return send();
  };
  const second = wait < deadline.remaining() ? budget.retry(repeat) : undefined;
  if (second !== undefined) return second;
  if (first instanceof PlatformUnreachableError) throw first;
  return first;
}

function isPassing(response: PlatformResponse): boolean {
  if (response.status === 429) return response.header('retry-after') !== undefined;
  return GATEWAY_FAILURES.has(response.status) && !namesACode(response);
}

function jitter(): number {
  return 50 + Math.random() * 200;
}
