import { readErrorPayload } from './error-payload.js';
import type { PlatformResponse } from './platform-response.js';

/** A platform code says that the platform itself answered, so that the answer stands. */
export function namesACode(response: PlatformResponse): boolean {
  try {
    return readErrorPayload(response.json(), []).code !== undefined;
  } catch {
    return false;
  }
}
