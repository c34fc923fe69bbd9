import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';
import { isRecord } from './rules.js';

/**
 * Reduces a secret to one key of its JSON object (spec, "Credential providers"). Without `key`, the text is returned
 * unchanged. Only a string counts: a number may have lost digits when it was parsed.
 *
 * @throws CredentialError `MALFORMED` when the text is not a JSON object or the key does not hold a string,
 * `MISSING_KEY`, or `EMPTY`
 */
export function pickField(origin: SecretOrigin, text: string, key: string | undefined): string {
  if (key === undefined) return text;
  const name = JSON.stringify(key);
  const object = jsonObject(text);
  if (object === undefined) {
    throw new CredentialError(origin, 'MALFORMED', `not a JSON object, so it has no key ${name}`);
  }
  if (!Object.hasOwn(object, key)) throw new CredentialError(origin, 'MISSING_KEY', `it has no key ${name}`);
  const value = object[key];
  if (typeof value !== 'string') {
    throw new CredentialError(origin, 'MALFORMED', `key ${name} is not a string`);
  }
  if (value === '') throw new CredentialError(origin, 'EMPTY', `key ${name} is empty`);
  return value;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    // The parser's message quotes the text, so it is not passed on.
    return undefined;
  }
}
