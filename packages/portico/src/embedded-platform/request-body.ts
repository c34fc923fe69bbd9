import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

import { bodyTooLarge, informationMissing, invalidInput, unsupportedBody } from './errors.js';
import { type Fields } from './fields.js';

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
