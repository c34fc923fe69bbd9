import { readErrorPayload, type ErrorPayload } from '../../errors/error-payload.js';
import { parseJson } from '../../json/parse-json.js';
import { type PlatformResponse } from './platform-response.js';

/**
 * The error payload in an answer; undefined when its body is no JSON. What begins as an object or a list is tried whatever the
 * content type says: what stands between tells it wrong.
 */
export function errorPayloadOf(
  response: PlatformResponse,
  secrets: readonly string[],
): ErrorPayload | undefined {
  try {
    return readErrorPayload(jsonOf(response), secrets);
  } catch {
    return undefined;
  }
}

function jsonOf(response: PlatformResponse): unknown {
  if (response.mayBeJson) return response.json();
  const text = response.text();
  if (!/^\s*[[{]/.test(text)) throw new SyntaxError('This is no JSON object.');
  return parseJson(text);
}
