import { type ResponseHeaders } from './response/response-headers.js';

const MAX_OTHERS = 16;
const MAX_BYTES = 4096;

/** What a token, project id or captured value may consist of, so that it can be sent as a header. */
const FIELD_VALUE = /^[\x21-\x7E]{1,256}$/;

/** Whether a value can go into a header of ours. */
export function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && FIELD_VALUE.test(value);
}

/** The `X-<vendor>-…` headers of one deployment (spec: Request headers). */
export class VendorHeaders {
  readonly authToken: string;
  readonly projectId: string;
  readonly #prefix: string;
  readonly #tokenField: string;

  /** @throws TypeError when the vendor segment cannot be part of a header name */
  constructor(vendor: string) {
    if (!/^[A-Za-z0-9]{1,32}$/.test(vendor))
      throw new TypeError('vendor: 1 to 32 letters or digits are needed.');
    this.#prefix = `x-${vendor.toLowerCase()}`;
    this.authToken = `X-${vendor}-AuthToken`;
    this.projectId = `X-${vendor}-ProjectID`;
    this.#tokenField = this.authToken.toLowerCase();
  }

  /** Whether a header, by any capitals, belongs to the vendor. */
  owns(name: string): boolean {
    return name.toLowerCase().startsWith(this.#prefix);
  }

  /** The token of an answer when it has exactly one well-formed token. */
  tokenOf(headers: ResponseHeaders): string | undefined {
    const values = headers.valuesOf(this.authToken);
    return values.length === 1 && isFieldValue(values[0]) ? values[0] : undefined;
  }

  /**
   * Adds an answer's vendor headers, the token apart, to those held, under lower-case names. At most 16 headers and 4 KB
   * are held: what would pass that is left out, what is held stays.
   */
  capture(held: Map<string, string>, fields: Iterable<readonly [name: string, value: string]>): void {
    for (const [name, value] of fields) {
      const field = name.toLowerCase();
      if (!this.owns(field) || field === this.#tokenField || /[^\t\x20-\x7E]/.test(value)) continue;
      if (held.size >= MAX_OTHERS && !held.has(field)) continue;
      const others = [...held].reduce(
        (sum, [key, text]) => sum + (key === field ? 0 : key.length + text.length),
        0,
      );
      if (others + field.length + value.length <= MAX_BYTES) held.set(field, value);
    }
  }
}
