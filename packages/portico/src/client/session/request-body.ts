import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { InvalidRequestError } from '../../errors/error-classes.js';
import { type RequestBody } from '../transport/transport.js';

/**
 * What can be sent: by the rules of `fetch`, and plain objects and lists as JSON. Anything else is an
 * `InvalidRequestError`, because part of it would be lost.
 * @example
 * const body: SendableBody = new URLSearchParams({ name: 'Sales' });
 * await session.request('POST', 'reports', { body });
 */
export type SendableBody =
  | string
  | URLSearchParams
  | FormData
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream
  | AsyncIterable<unknown>
  | object;

/**
 * A body by the rules of `fetch`.
 * @returns undefined for another value
 * @throws InvalidRequestError when a stream is in use already
 */
export function standardBody(body: unknown): RequestBody | undefined {
  if (typeof body === 'string') return textBody('text/plain;charset=UTF-8', body);
  if (body instanceof URLSearchParams) {
    return textBody('application/x-www-form-urlencoded;charset=UTF-8', body.toString());
  }
  if (ArrayBuffer.isView(body)) {
    return bytesBody(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  }
  if (body instanceof ArrayBuffer) return bytesBody(new Uint8Array(body));
  if (body instanceof Blob) return blobBody(body.type === '' ? undefined : body.type, body);
  if (body instanceof FormData) return formBody(body);
  if (isAsyncIterable(body)) return streamBody(body);
  return undefined;
}

/**
 * A plain object or a list as JSON.
 * @throws InvalidRequestError when it is neither, or contains what JSON would lose
 */
export function jsonBody(body: unknown): RequestBody {
  if (!isPlainData(body)) {
    throw new InvalidRequestError(
      'The body of a request must be a string, bytes, URLSearchParams, FormData, a Blob, a stream, ' +
        'or a plain object or array, which is sent as JSON.',
    );
  }
  return textBody('application/json', jsonText(body));
}

function jsonText(body: unknown): string {
  try {
    const text = JSON.stringify(body, (_key, value: unknown) => {
      if (isLostInJson(value)) throw new TypeError();
      return value;
    }) as string | undefined;
    if (text?.startsWith('{') === true || text?.startsWith('[') === true) return text;
  } catch {
    // A cycle, a bigint, or what JSON loses: reported below without the value.
  }
  throw new InvalidRequestError(
    'The body of the request cannot be written as JSON: it has a cycle, or a value that JSON would lose.',
  );
}

/** Neither a Map nor bytes nor a function, whose content JSON drops; a class of the caller's own is plain. */
function isPlainData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return true;
  return ['[object Object]', '[object Array]'].includes(Object.prototype.toString.call(value));
}

function isLostInJson(value: unknown): boolean {
  if (typeof value === 'object') return value !== null && !isPlainData(value);
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'function' || typeof value === 'symbol';
}

/** Text whose type is known. */
export function textBody(contentType: string, text: string): RequestBody {
  return { contentType, length: Buffer.byteLength(text), isRepeatable: true, open: () => text };
}

export function bytesBody(bytes: Uint8Array): RequestBody {
  return { contentType: undefined, length: bytes.byteLength, isRepeatable: true, open: () => bytes };
}

function blobBody(contentType: string | undefined, blob: Blob): RequestBody {
  const open = (): Readable => Readable.from(blob.stream(), { objectMode: false });
  return { contentType, length: blob.size, isRepeatable: true, open };
}

/** As multipart/form-data in a blob, which refers to the files and so copies none of them (HTML, 4.10.21.8). */
function formBody(form: FormData): RequestBody {
  const boundary = `----portico-${randomUUID()}`;
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(lines(name))}"`;
    if (typeof value === 'string') parts.push(`${head}\r\n\r\n${lines(value)}\r\n`);
    else {
      const type = value.type === '' ? 'application/octet-stream' : value.type;
      parts.push(
        `${head}; filename="${escaped(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`,
        value,
        '\r\n',
      );
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return blobBody(`multipart/form-data; boundary=${boundary}`, new Blob(parts));
}

function lines(text: string): string {
  return text.replace(/\r?\n|\r/g, '\r\n');
}

function escaped(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

/** A stream, which is sent as it comes and never twice. */
export function streamBody(source: AsyncIterable<unknown>): RequestBody {
  if (isInUse(source)) throw new InvalidRequestError('The stream that is the body of the request is in use.');
  const body = {
    contentType: undefined,
    length: undefined,
    isRepeatable: false,
    failure: undefined as unknown,
    open: () => Readable.from(chunks(), { objectMode: false }),
  };
  async function* chunks(): AsyncGenerator<Uint8Array | string> {
    try {
      for await (const chunk of source) {
        if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw new TypeError(NOT_BYTES);
        yield chunk;
      }
    } catch (error) {
      body.failure = error ?? new Error('The stream failed without a reason.');
      throw error;
    }
  }
  return body;
}

const NOT_BYTES = 'A part of the stream is neither a Uint8Array nor a string.';

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A locked web stream, or a stream of Node that was read or destroyed. */
function isInUse(source: object): boolean {
  const { locked, readableDidRead, destroyed } = source as Record<string, unknown>;
  return locked === true || readableDidRead === true || destroyed === true;
}
