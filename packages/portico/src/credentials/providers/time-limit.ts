import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';

/** Milliseconds that one fetch may take, including loading the SDK and its login. */
export const FETCH_LIMIT_MS = 5000;

/**
 * Runs a fetch within a time limit. The signal tells the SDK to stop; the caller does not wait for that.
 *
 * @throws CredentialError `TIMEOUT`
 */
export async function withinLimit<T>(
  origin: SecretOrigin,
  limitMs: number,
  fetch: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CredentialError(origin, 'TIMEOUT', `no answer within ${limitMs} ms`));
      abort.abort();
    }, limitMs);
  });
  try {
    return await Promise.race([fetch(abort.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}
