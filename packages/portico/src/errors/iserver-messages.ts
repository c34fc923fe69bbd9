import { readFileSync } from 'node:fs';
import { ISERVER_CODES } from './iserver-codes.js';

/** Messages by back-end code, with the code as decimal text. */
export type IServerMessages = ReadonlyMap<string, string>;

/** Additional messages: `{"-2147216959": "text"}`, or the path of a JSON file with such an object. */
export type IServerMessageSource = string | Readonly<Record<string, string>>;

const KNOWN: IServerMessages = new Map(
  ISERVER_CODES.map(([code, name, advice]) => [String(code), `${advice} (${name})`]),
);

/**
 * The known messages, overridden by the operator's own.
 * @throws TypeError when the file cannot be read or is not an object of messages by integer code
 */
export function readIServerMessages(source: IServerMessageSource | null | undefined): IServerMessages {
  if (source === undefined || source === null) return KNOWN;
  const own: unknown = typeof source === 'string' ? readJson(source) : source;
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new TypeError('iserverMessages must be an object of messages by code.');
  }
  const messages = new Map(KNOWN);
  for (const [code, message] of Object.entries(own)) {
    if (!/^-?\d{1,15}$/.test(code) || typeof message !== 'string' || message === '') {
      throw new TypeError(
        'iserverMessages: each key must be an integer code and each value a non-empty string.',
      );
    }
    messages.set(String(Number(code)), message);
  }
  return messages;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new TypeError(`iserverMessages: the file "${path}" is unusable: ${why}.`, { cause: error });
  }
}
