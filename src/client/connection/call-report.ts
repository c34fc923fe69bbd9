import { type PlatformResponse } from './response/platform-response.js';

/** One call to the platform, including redirects and the retry, as reported to an observer. No header, body or query. */
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

/** Makes a call and reports it to the observer. An observer that throws changes nothing. */
export async function withCallReport(
  { method, path }: Pick<PlatformCall, 'method' | 'path'>,
  observe: ((call: PlatformCall) => void) | undefined,
  make: () => Promise<PlatformResponse>,
): Promise<PlatformResponse> {
  if (observe === undefined) return make();
  const start = performance.now();
  let status: number | undefined;
  try {
    const response = await make();
    status = response.status;
    return response;
  } finally {
    try {
      observe({ method, path, status, milliseconds: performance.now() - start });
    } catch {
      // An observer must not be able to break the call.
    }
  }
}
