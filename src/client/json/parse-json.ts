import { parse } from 'secure-json-parse';

/**
 * Parses the platform's JSON; keys that could reach a prototype are left out.
 * @throws SyntaxError when it is none
 */
export function parseJson(text: string): unknown {
  return parse(text, { protoAction: 'remove', constructorAction: 'remove' });
}
