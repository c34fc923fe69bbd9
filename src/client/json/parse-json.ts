import { parse } from 'secure-json-parse';

/**
 * Parses the platform's JSON and drops keys that could reach a prototype.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  return parse(text, { protoAction: 'remove', constructorAction: 'remove' });
}
