import { parse } from 'secure-json-parse';

/** Any spelling of a name that could reach a prototype has one of these in it. */
const SUSPICIOUS = /__proto__|constructor|\\u/;

/**
 * Parses the platform's JSON and drops keys that could reach a prototype.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  return SUSPICIOUS.test(text)
    ? parse(text, { protoAction: 'remove', constructorAction: 'remove' })
    : JSON.parse(text);
}
