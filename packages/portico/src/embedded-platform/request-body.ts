import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { bodyTooLarge, fieldMissing, informationMissing, invalidInput, unsupportedBody } from './errors.js';

const MAX_BODY_BYTES = 64 * 1024;

/** Reads a body of at most 64 KB. Stops at the first byte beyond that, with the connection still open. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The fields of a JSON object or of a URL-encoded form. A body without a content type is read as JSON. */
export function parseFields(body: Buffer, headers: IncomingHttpHeaders): Fields {
  const type = (headers['content-type'] ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw unsupportedBody();
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') throw unsupportedBody();
  if (body.length === 0) throw informationMissing('the body');
  const text = decode(body);
  return type === 'application/json' ? parseJson(text) : new Map(new URLSearchParams(text));
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalidInput('The body is not valid UTF-8.');
  }
}

function parseJson(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, and the body may hold a password.
    throw invalidInput('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput('The body must be a JSON object.');
  }
  return new Map(Object.entries(value));
}

/** The fields of a request body by name. A map, so that a field named `__proto__` is a field like any other. */
export type Fields = ReadonlyMap<string, unknown>;

/** Whether the body has the field; null counts as left out. */
export function hasField(fields: Fields, name: string): boolean {
  return (fields.get(name) ?? undefined) !== undefined;
}

export function requiredText(fields: Fields, name: string): string {
  requireField(fields, name);
  const value = fields.get(name);
  if (typeof value !== 'string') throw invalidInput(`Field ${name} must be a string.`);
  return value;
}

export function requiredNonEmptyText(fields: Fields, name: string): string {
  const text = requiredText(fields, name);
  if (text === '') throw informationMissing(name);
  return text;
}

export function requiredInteger(fields: Fields, name: string): number {
  requireField(fields, name);
  return integerOf(fields, name);
}

export function optionalInteger(fields: Fields, name: string): number | undefined {
  return hasField(fields, name) ? integerOf(fields, name) : undefined;
}

function requireField(fields: Fields, name: string): void {
  if (!hasField(fields, name)) throw fieldMissing(name);
}

/** Forms have no numbers, and some clients send strings in JSON too: `"-1"` is -1. */
function integerOf(fields: Fields, name: string): number {
  const value = fields.get(name);
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) throw invalidInput(`Field ${name} must be a whole number.`);
  return number as number;
}
