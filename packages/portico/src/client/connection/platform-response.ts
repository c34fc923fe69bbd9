import { isUtf8 } from 'node:buffer';
import { inspect } from 'node:util';
import { MAX_NESTING, type ReadJson, readJson } from '../../errors/read-json.js';
import { PlatformHttpError } from '../../errors/error-classes.js';
import { type ResponseHeaders } from './response-headers.js';

/** A complete response of the platform. Inspection shows no header value and no body. */
export class PlatformResponse {
  /** HTTP status. */
  readonly status: number;
  readonly #headers: ResponseHeaders;
  readonly #body: Buffer;

  readonly #url: URL;
  readonly #isDecoded: boolean;

  /** @param isDecoded false when the body is not in the coding that its label names */
  constructor(status: number, headers: ResponseHeaders, body: Buffer, url: URL, isDecoded = true) {
    this.#isDecoded = isDecoded;
    this.status = status;
    this.#url = url;
    this.#headers = headers;
    this.#body = body;
  }

  /** URL that responded, after redirects. */
  get url(): string {
    return this.#url.href;
  }

  /** Value of a response header, by name in any letter case; several fields of one name are joined by `, `. */
  header(name: string): string | undefined {
    const values = this.headerValues(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  /** All fields of one name, as received. */
  headerValues(name: string): string[] {
    return this.#headers.valuesOf(name);
  }

  /** All header fields, in the order received. */
  get headers(): ResponseHeaders {
    return this.#headers;
  }

  /** Size of the decoded body. */
  get byteLength(): number {
    return this.#body.byteLength;
  }

  /**
   * The body as text, by the charset of its content type, or UTF-8.
   * @throws PlatformHttpError when it is not text in that charset, or not in the coding that its label names
   */
  text(): string {
    const text = this.#isDecoded ? bodyText(this.#body, this.header('content-type')) : undefined;
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

  /** Whether the content type is JSON or absent. */
  get mayBeJson(): boolean {
    const type = this.header('content-type') ?? '';
    return type === '' || /^\s*(?:application|text)\/(?:[\w.-]+\+)?json\s*(?:[;,]|$)/i.test(type);
  }

  /**
   * The body as JSON, without keys that could reach a prototype.
   * @throws PlatformHttpError when the content type or the body is not JSON or too deeply nested, or its text cannot
   * be decoded
   */
  json(): unknown {
    if (!this.mayBeJson) throw this.#notJson();
    const { value, isTooDeep } = this.#read(this.text());
    if (isTooDeep) {
      const message = `The response of the platform is nested more than ${MAX_NESTING} levels deep.`;
      throw new PlatformHttpError(message, { status: this.status });
    }
    return value;
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
