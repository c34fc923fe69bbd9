import { inspect } from 'node:util';
import { parseJson } from '../../json/parse-json.js';
import { PlatformHttpError } from '../../errors/error-classes.js';
import { type ResponseHeaders } from './response-headers.js';

/** A complete response of the platform. Inspection shows no header value and no body. */
export class PlatformResponse {
  /** HTTP status. */
  readonly status: number;
  readonly #headers: ResponseHeaders;
  readonly #body: Buffer;

  readonly #url: URL;

  constructor(status: number, headers: ResponseHeaders, body: Buffer, url: URL) {
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

  /** The body as UTF-8 text. */
  text(): string {
    return this.#body.toString('utf8');
  }

  /** Whether the content type is JSON or absent. */
  get mayBeJson(): boolean {
    const type = this.header('content-type');
    return type === undefined || /^\s*application\/(?:[\w.-]+\+)?json\s*(?:[;,]|$)/i.test(type);
  }

  /**
   * The body as JSON, without keys that could reach a prototype.
   * @throws PlatformHttpError when the content type or the body is not JSON
   */
  json(): unknown {
    if (!this.mayBeJson) throw this.#notJson();
    try {
      return parseJson(this.text());
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
