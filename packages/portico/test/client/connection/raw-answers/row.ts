import { expect } from 'vitest';
import {
  type AfterAnswer,
  head,
  type RawPart,
} from '../../../support/embedded-platform/raw-answer-server.js';

/** One raw answer and the one right result of reading it. */
export interface Row {
  readonly title: string;
  readonly parts: RawPart | readonly RawPart[];
  readonly then?: AfterAnswer;
  /** Status and text of a response, or what the error must match. */
  readonly gives: Gives;
  /** What both give when it comes byte by byte, if that is something else. */
  readonly whenSlow?: Gives;
  /** What one transport gives instead, for an answer that HTTP does not allow or that its library cannot read. */
  readonly by?: Readonly<Partial<Record<TransportName, Gives>>>;
}

export type Gives =
  | { readonly status: number; readonly text: string }
  | { readonly kind: string; readonly [fact: string]: unknown };

export type TransportName = 'got' | 'undici';

/** The result of a row with a transport. */
export function givenBy(transport: TransportName, { gives, by }: Row): Gives {
  return by?.[transport] ?? gives;
}

export const JSON_BODY = '{"id":"U"}';
export const VALUE: Gives = { status: 200, text: JSON_BODY };

/** An answer that breaks HTTP: no status, no code. */
export const BROKEN: Gives = { kind: 'protocol', code: 'N/A', retryable: false };

/** An answer that HTTP allows and undici cannot read: the error says what to do. */
export const BY_GOT_ONLY = {
  undici: { ...BROKEN, message: expect.stringContaining('PLATFORM_TRANSPORT=got') as unknown },
} as const;

/** The connection ended before the answer was complete. */
export const CUT: Gives = { kind: 'unreachable', reason: 'CONNECT', retryable: true };

/** The head of a 200 with JSON. */
export function ok(...fields: readonly string[]): string {
  return head('HTTP/1.1 200 OK', 'Content-Type: application/json', ...fields);
}

/** A whole 200 with JSON and these fields. */
export function value(...fields: readonly string[]): string {
  return ok(...fields, `Content-Length: ${JSON_BODY.length}`) + JSON_BODY;
}

/** A whole answer with a body of bytes. */
export function withBody(
  statusLine: string,
  fields: readonly string[],
  body: Uint8Array | string,
): Uint8Array {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(head(`HTTP/1.1 ${statusLine}`, ...fields, `Content-Length: ${bytes.byteLength}`), 'latin1'),
    bytes,
  ]);
}

/** The bytes of a row; undefined when it waits in between. */
export function bytesOf({ parts }: Row): Buffer | undefined {
  const all = [parts].flat();
  const bytes = all.flatMap((part) =>
    typeof part === 'function' ? [] : [typeof part === 'string' ? Buffer.from(part, 'latin1') : part],
  );
  return bytes.length < all.length ? undefined : Buffer.concat(bytes);
}
