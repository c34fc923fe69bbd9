import { errorPayloadOf } from './error-body.js';
import { type PlatformResponse } from './platform-response.js';

/** A platform code says that the platform itself answered, so that the answer stands. */
export function namesACode(response: PlatformResponse): boolean {
  return errorPayloadOf(response, [])?.code !== undefined;
}
