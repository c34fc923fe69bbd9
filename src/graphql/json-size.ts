import { Note } from '../logging/note.js';

/** How much of an answer a value takes. */
export interface Size {
  /** Values: each string, number, object and list is one. */
  readonly nodes: number;
  /** Bytes of its JSON text in UTF-8. */
  readonly bytes: number;
}

/** Counts a JSON string, with its quotes. */
export type CountText = (text: string) => number;

/** Characters that JSON escapes, and lone surrogates, which it escapes too. */
// eslint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** An escaped character takes six bytes, and no other takes more. */
const MOST_BYTES_PER_CHARACTER = 6;
const NULL_BYTES = 4;
const FALSE_BYTES = 5;
/** `2015-06-30T21:55:35.000Z` in quotes. */
const DATE_BYTES = 26;

/** The exact bytes of a string as JSON. */
export function textBytes(text: string): number {
  return ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
}

/** The most bytes that a string can take as JSON, without reading it. */
export function textBytesAtMost(text: string): number {
  return text.length * MOST_BYTES_PER_CHARACTER + 2;
}

/** The bytes of a value without parts. A value that JSON cannot represent is null. */
export function leafBytes(value: unknown, countText: CountText): number {
  switch (typeof value) {
    case 'string':
      return countText(value);
    case 'number':
      return Number.isFinite(value) ? String(value).length : NULL_BYTES;
    case 'boolean':
      return value ? NULL_BYTES : FALSE_BYTES;
    default:
      return value instanceof Date ? DATE_BYTES : NULL_BYTES;
  }
}

const known = new Note<object, Size>('JSON size');

/**
 * The exact size of a JSON value. An object is measured once, however often it is answered. The client has limited how
 * deeply it is nested, so recursion is safe.
 */
export function jsonSize(value: unknown): Size {
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    return { nodes: 1, bytes: leafBytes(value, textBytes) };
  }
  const before = known.get(value);
  if (before !== undefined) return before;
  const total = { nodes: 1, bytes: 0 };
  const parts = Array.isArray(value) ? addItems(value, total) : addMembers(value, total);
  // The brackets, and the commas between the parts.
  total.bytes += 2 + Math.max(0, parts - 1);
  known.set(value, total);
  return total;
}

function addItems(list: readonly unknown[], total: { nodes: number; bytes: number }): number {
  for (const item of list) add(item, total);
  return list.length;
}

function addMembers(record: object, total: { nodes: number; bytes: number }): number {
  let members = 0;
  for (const [name, value] of Object.entries(record)) {
    // JSON leaves out members without a value.
    if (value === undefined) continue;
    total.bytes += textBytes(name) + 1;
    add(value, total);
    members += 1;
  }
  return members;
}

/** Only what has parts is remembered: most values have none. */
function add(value: unknown, total: { nodes: number; bytes: number }): void {
  if (typeof value === 'object' && value !== null) {
    const size = jsonSize(value);
    total.nodes += size.nodes;
    total.bytes += size.bytes;
  } else {
    total.nodes += 1;
    total.bytes += leafBytes(value, textBytes);
  }
}
