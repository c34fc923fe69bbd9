import { CredentialError, type SecretOrigin } from '../../errors/credential-error.js';

/**
 * Reduces a secret to one key of its JSON object (spec, "Credential providers"); without `key` the text stays
 * as it is. Only a string counts: a number has lost digits by the time that it has been parsed.
 *
 * @throws CredentialError `MALFORMED` when the text is no JSON object or the key holds no string,
 * `MISSING_KEY`, or `EMPTY`.
 */
export function pickField(origin: SecretOrigin, text: string, key: string | undefined): string {
  if (key === undefined) return text;
  const name = JSON.stringify(key);
  const object = jsonObject(text);
  if (object === undefined) {
    throw new CredentialError(origin, 'MALFORMED', `not a JSON object, so it has no key ${name}`);
  }
  if (!Object.hasOwn(object, key)) throw new CredentialError(origin, 'MISSING_KEY', `no key ${name} in it`);
  const value = object[key];
  if (typeof value !== 'string')
    throw new CredentialError(origin, 'MALFORMED', `key ${name} is not a string`);
  if (value === '') throw new CredentialError(origin, 'EMPTY', `key ${name} is empty`);
  return value;
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    // The parser's message quotes the text, so it goes no further.
    return undefined;
  }
}
