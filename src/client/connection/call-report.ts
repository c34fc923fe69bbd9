import { type PlatformResponse } from './response/platform-response.js';

/** One call to the platform, redirects and retry included, as an observer is told of it. No header, body or query. */
export interface PlatformCall {
  /** HTTP method. */
  readonly method: string;
  /** Path below the base URL, without a leading `/`. */
  readonly path: string;
  /** HTTP status of the answer; undefined when there was none that can be used. */
  readonly status: number | undefined;
  /** How long the call took. */
  readonly milliseconds: number;
}

/** Makes a call and tells the observer of it. An observer that throws changes nothing. */
export async function reported(
  { method, path }: Pick<PlatformCall, 'method' | 'path'>,
  tell: ((call: PlatformCall) => void) | undefined,
  make: () => Promise<PlatformResponse>,
): Promise<PlatformResponse> {
  if (tell === undefined) return make();
  const start = performance.now();
  let status: number | undefined;
  try {
    const response = await make();
    status = response.status;
    return response;
  } finally {
    try {
      tell({ method, path, status, milliseconds: performance.now() - start });
    } catch {
      // What is only looked on must not be able to break it.
    }
  }
}
