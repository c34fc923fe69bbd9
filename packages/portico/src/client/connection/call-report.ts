import { type RetryCause } from './retry.js';
import { type PlatformResponse } from './platform-response.js';

/**
 * One call to the platform, including redirects and the retry, as reported to an observer. No header, body or query.
 */
export interface PlatformCall {
  /** HTTP method. */
  readonly method: string;
  /** Path below the base URL, without a leading `/`. */
  readonly path: string;
  /** HTTP status of the response; undefined when there was no usable response. */
  readonly status: number | undefined;
  /** Duration of the call. */
  readonly milliseconds: number;
}

/** Follows one call from its start to its end, for tracing. Whatever its methods throw changes nothing. */
export interface CallObserver {
  /** Sent with every request of the call, such as `traceparent`. The client's own headers win. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the status of each redirect before it is followed. */
  redirected?(status: number): void;
  /** Called before the pause that precedes the retry. */
  retried?(cause: RetryCause): void;
  /** Called at the end. `error` is what the call rejects with. */
  ended?(call: PlatformCall, error?: unknown): void;
}

/** Who observes the calls of a client. */
export interface CallObservers {
  readonly onCall: ((call: PlatformCall) => void) | undefined;
  readonly observeCall:
    ((call: Pick<PlatformCall, 'method' | 'path'>) => CallObserver | undefined) | undefined;
}

const NOBODY: CallObserver = {};

/** Makes a call and reports it to the observers. An observer that throws changes nothing. */
export async function withCallReport(
  { method, path }: Pick<PlatformCall, 'method' | 'path'>,
  { onCall, observeCall }: CallObservers,
  make: (observer: CallObserver) => Promise<PlatformResponse>,
): Promise<PlatformResponse> {
  if (onCall === undefined && observeCall === undefined) return make(NOBODY);
  const observer = harmless(() => observeCall?.({ method, path })) ?? NOBODY;
  const start = performance.now();
  let status: number | undefined;
  let failure: unknown;
  try {
    const response = await make(observer);
    status = response.status;
    return response;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    const call = { method, path, status, milliseconds: performance.now() - start };
    harmless(() => onCall?.(call));
    harmless(() => observer.ended?.(call, failure));
  }
}

/** Calls an observer, which must not be able to break the call. */
export function harmless<T>(observe: () => T): T | undefined {
  try {
    return observe();
  } catch {
    return undefined;
  }
}
