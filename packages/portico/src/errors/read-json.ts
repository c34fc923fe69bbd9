import { parse } from 'secure-json-parse';

/** Levels of objects and lists in a response of the platform. Its own documents need less than ten. */
export const MAX_NESTING = 64;

/** What one walk over a parsed value finds; the findings of several are combined. */
const NOTHING = 0;
const RESERVED_NAME = 1;
const TOO_DEEP = 2;

/** A JSON value as the platform sent it. */
export interface ReadJson {
  /** Without keys that could reach a prototype. */
  readonly value: unknown;
  /** Whether it has more than {@link MAX_NESTING} levels of objects and lists. */
  readonly isTooDeep: boolean;
}

/**
 * Reads the platform's JSON. `JSON.parse` reads any depth, but code that writes the value again is recursive and
 * fails on a deep one.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function readJson(text: string): ReadJson {
  const value: unknown = JSON.parse(text);
  const found = findings(value, MAX_NESTING);
  if ((found & RESERVED_NAME) === NOTHING) return { value, isTooDeep: found === TOO_DEEP };
  const safe: unknown = parse(text, { protoAction: 'remove', constructorAction: 'remove' });
  return { value: safe, isTooDeep: (findings(safe, MAX_NESTING) & TOO_DEEP) !== NOTHING };
}

function findings(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return NOTHING;
  if (levels === 0) return TOO_DEEP;
  let found = NOTHING;
  if (Array.isArray(value)) {
    for (const item of value) found |= findings(item, levels - 1);
    return found;
  }
  for (const name in value) {
    if (name === '__proto__' || name === 'constructor') found |= RESERVED_NAME;
    const part = (value as Record<string, unknown>)[name];
    // Most are strings and numbers; a call would take longer than this check.
    if (typeof part === 'object') found |= findings(part, levels - 1);
  }
  return found;
}

/** Whether a value is an object with string keys: not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
