import { type RetryCause } from './retry.js';

/**
 * One call to the platform, including redirects and the retry, as reported to an observer. No header, body or query.
 * @example
 * const report = ({ method, path, status }: PlatformCall): void => console.log(method, path, status);
 * await using client = new PlatformClient({ baseUrl, onCall: report });
 * await client.openSession().login(); // POST auth/login 204
 */
export interface PlatformCall {
  /** HTTP method. */
  readonly method: string;
  /** Path below the base URL, without a leading `/`. */
  readonly path: string;
  /** HTTP status of the response; undefined when there was no usable response. */
  readonly status: number | undefined;
  /** Duration of the call, waits for a connection included; of a call by `fetch`, until its body begins. */
  readonly milliseconds: number;
}

/**
 * Follows one call from its start to its end, for tracing. What its methods throw changes nothing.
 * @example
 * const observer: CallObserver = { headers: { traceparent: '00-1-2-01' } };
 * await using client = new PlatformClient({ baseUrl, observeCall: () => observer });
 */
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
