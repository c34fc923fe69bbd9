import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { MAX_NESTING, type ReadJson, readJson } from '../../errors/read-json.js';
import { PlatformHttpError } from '../../errors/error-classes.js';
import { freeBytes } from '../transport/read-body.js';
import { type HeadersInit, ResponseHeaders } from './headers.js';

/**
 * What a response is made of, for tests of your own code.
 * @example
 * const parts: PlatformResponseParts = { status: 404, body: { code: 'ERR004' } };
 * console.log(PlatformResponse.from(parts).ok); // false
 */
export interface PlatformResponseParts {
  /** Default 200. */
  status?: number;
  /** Default: none, or the content type that the body has by itself. */
  headers?: HeadersInit;
  /** Text, bytes, or anything that is then written as JSON. Default: empty. */
  body?: unknown;
  /** URL that responded. Default `http://localhost/`. */
  url?: string | URL;
}

/**
 * A complete response of the platform. Inspection shows no header value and no body.
 * @example
 * const response = PlatformResponse.from({ status: 200, body: [{ id: 'R1' }] });
 * console.log(response.ok, response.json()); // true [ { id: 'R1' } ]
 */
export class PlatformResponse {
  /** HTTP status. */
  readonly status: number;
  /** All header fields, in the order received. */
  readonly headers: ResponseHeaders;
  #body: Buffer;

  readonly #url: URL;
  readonly #isDecoded: boolean;

  /**
   * Protected, because responses come from calls and, for tests, from `from`. Not internal, because a class without a
   * constructor in its types can be made by anyone.
   */
  protected constructor(status: number, headers: ResponseHeaders, body: Buffer, url: URL, isDecoded = true) {
    this.#isDecoded = isDecoded;
    this.status = status;
    this.#url = url;
    this.headers = headers;
    this.#body = body;
  }

  /**
   * What the platform sent.
   * @param isDecoded false when the body is not in the coding that its label names
   * @internal
   */
  static received(
    status: number,
    headers: ResponseHeaders,
    body: Buffer,
    url: URL,
    isDecoded = true,
  ): PlatformResponse {
    return new PlatformResponse(status, headers, body, url, isDecoded);
  }

  /**
   * A response for a test of your own code.
   * @param parts what it is made of; everything has a default
   */
  static from({ status = 200, headers = {}, body = '', url }: PlatformResponseParts = {}): PlatformResponse {
    const isJson = typeof body !== 'string' && !(body instanceof Uint8Array);
    const fields = new Headers(headers as Record<string, string>);
    if (isJson && !fields.has('content-type')) fields.set('content-type', 'application/json');
    const bytes = Buffer.from(isJson ? JSON.stringify(body) : (body as string));
    const raw = new ResponseHeaders([...fields].flat());
    return new PlatformResponse(status, raw, bytes, new URL(url ?? 'http://localhost/'));
  }

  /** Whether the status is 2xx. */
  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  /** URL that responded, after redirects. */
  get url(): string {
    return this.#url.href;
  }

  /**
   * Value of a response header, by name in any letter case; several fields of one name are joined by `, `.
   * @param name in any letter case
   */
  header(name: string): string | undefined {
    const values = this.headers.valuesOf(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  /**
   * All fields of one name, as received.
   * @param name in any letter case
   */
  headerValues(name: string): string[] {
    return this.headers.valuesOf(name);
  }

  /** Size of the decoded body. */
  get byteLength(): number {
    return this.#body.byteLength;
  }

  /**
   * The decoded body, in a copy of its own.
   * @throws PlatformHttpError when it is not in the coding that its label names
   */
  bytes(): Uint8Array {
    if (this.#isDecoded) return new Uint8Array(this.#body);
    const message = 'The response of the platform is not in the coding of its label.';
    throw new PlatformHttpError(message, { status: this.status });
  }

  /**
   * The body as text, by the charset of its content type, or UTF-8.
   * @throws PlatformHttpError when it is not text in that charset, or not in the coding that its label names
   */
  text(): string {
    return this.#textOf(this.header('content-type'));
  }

  #textOf(contentType: string | undefined): string {
    const text = this.#isDecoded ? bodyText(this.#body, contentType) : undefined;
    if (text !== undefined) return text;
    const message = 'The response of the platform is not in the coding or charset of its label.';
    throw new PlatformHttpError(message, { status: this.status });
  }

  /**
   * The bytes as characters, to find ASCII codes in a body with a wrong label.
   * @internal
   */
  latin1Text(): string {
    return this.#body.toString('latin1');
  }

  /**
   * Whether the bytes of an ASCII text occur in the body.
   * @internal
   */
  contains(text: string): boolean {
    return this.#body.includes(text, 0, 'latin1');
  }

  /**
   * Equal for responses with the same body and content type, and for no others.
   * @internal
   */
  digest(): string {
    return `${this.header('content-type')} ${hash('sha256', this.#body)}`;
  }

  /**
   * Gives the memory of the body back once everything of it has been read.
   * @internal
   */
  release(): void {
    freeBytes(this.#body);
    this.#body = Buffer.alloc(0);
  }

  /**
   * Gives up the rest of a body that has not arrived.
   * @internal
   */
  abandon(): void {
    // There is none: the response is complete.
  }

  /** Whether the content type is JSON or absent. */
  get mayBeJson(): boolean {
    return JSON_TYPE.test(this.header('content-type') ?? '');
  }

  /**
   * The body as JSON, without keys that could reach a prototype.
   * @throws PlatformHttpError when the content type or the body is not JSON or too deeply nested, or its text cannot
   * be decoded
   */
  // The caller says what it expects, as with the `json` of fetch.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  json<T = unknown>(): T {
    const type = this.header('content-type');
    if (!JSON_TYPE.test(type ?? '')) throw this.#notJson();
    const { value, isTooDeep } = this.#read(this.#textOf(type));
    if (isTooDeep) {
      const message = `The response of the platform is nested more than ${MAX_NESTING} levels deep.`;
      throw new PlatformHttpError(message, { status: this.status });
    }
    return value as T;
  }

  #read(text: string): ReadJson {
    try {
      return readJson(text);
    } catch {
      throw this.#notJson();
    }
  }

  #notJson(): PlatformHttpError {
    return new PlatformHttpError('The response of the platform is not JSON.', { status: this.status });
  }

  [inspect.custom](): string {
    return `PlatformResponse { status: ${this.status}, byteLength: ${this.byteLength} }`;
  }
}

/** JSON, or no type at all. */
const JSON_TYPE = /^(?:$|\s*(?:application|text)\/(?:[\w.-]+\+)?json\s*(?:[;,]|$))/i;

/** Byte order marks; each is a stronger sign than a label. */
const MARKS: readonly (readonly [mark: string, charset: string])[] = [
  ['\xEF\xBB\xBF', 'utf-8'],
  ['\xFF\xFE', 'utf-16le'],
  ['\xFE\xFF', 'utf-16be'],
];

/**
 * The text of a body by its byte order mark, else by the `charset` of its content type, else as UTF-8. A charset that
 * is not known counts as none: JSON is UTF-8 whatever its label says (RFC 8259, 8.1), and other bytes than UTF-8 are
 * noticed.
 * @returns undefined when the bytes are not text in that charset: never text with replacement characters
 */
function bodyText(body: Buffer, contentType: string | undefined): string | undefined {
  const charset = markedCharset(body) ?? labeledCharset(contentType, body);
  if (charset === 'utf-8') {
    if (!isUtf8(body)) return undefined;
    const text = body.toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function markedCharset(body: Buffer): string | undefined {
  const first = body[0] ?? 0;
  if (first < 0xef) return undefined;
  const start = body.toString('latin1', 0, 3);
  return MARKS.find(([mark]) => start.startsWith(mark))?.[1];
}

function labeledCharset(contentType: string | undefined, body: Buffer): string {
  const label = /;\s*charset\s*=[\s"']*([^\s"';,]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (label === undefined || !isKnown(label)) return 'utf-8';
  // JSON starts with an ASCII character, so a zero byte before it shows the byte order that the label leaves open.
  if (label === 'utf-16' && body[0] === 0) return 'utf-16be';
  return label === 'utf8' ? 'utf-8' : label;
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
