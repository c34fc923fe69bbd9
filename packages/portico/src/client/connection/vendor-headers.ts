import { type ResponseHeaders } from './response-headers.js';

const MAX_HELD = 16;
const MAX_BYTES = 4096;

/** The characters of a token or project id that can be sent in a header. */
const FIELD_VALUE = /^[\x21-\x7E]{1,256}$/;

/** Whether a value can be sent in a request header. */
export function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && FIELD_VALUE.test(value);
}

/** The `X-<vendor>-…` headers of one deployment (spec: Request headers). */
export class VendorHeaders {
  readonly authToken: string;
  readonly projectId: string;
  readonly identityToken: string;
  readonly #prefix: string;
  /** Never held among the others: the token is held separately, and an identity token is for somebody else. */
  readonly #ownFields: ReadonlySet<string>;

  /** @throws TypeError when the vendor segment is not valid in a header name */
  constructor(vendor: string) {
    if (!/^[A-Za-z0-9]{1,32}$/.test(vendor)) throw new TypeError('vendor must be 1 to 32 letters or digits.');
    this.#prefix = `x-${vendor.toLowerCase()}`;
    this.authToken = `X-${vendor}-AuthToken`;
    this.projectId = `X-${vendor}-ProjectID`;
    this.identityToken = `X-${vendor}-IdentityToken`;
    this.#ownFields = new Set([this.authToken, this.identityToken].map((name) => name.toLowerCase()));
  }

  /** Whether a header, in any letter case, belongs to the vendor. */
  owns(name: string): boolean {
    return name.toLowerCase().startsWith(this.#prefix);
  }

  /** The token of a response if it has exactly one well-formed token. */
  tokenOf(headers: ResponseHeaders): string | undefined {
    const values = headers.valuesOf(this.authToken);
    return values.length === 1 && isFieldValue(values[0]) ? values[0] : undefined;
  }

  /** The name of a header that looks like the token of another vendor. */
  otherTokenHeader(headers: ResponseHeaders): string | undefined {
    const names = headers.fields.map(([name]) => name);
    return names.find((name) => /^x-[a-z0-9]{1,32}-authtoken$/i.test(name) && !this.owns(name));
  }

  /**
   * Adds the vendor headers of a response, except the token and an identity token, to those held, under lowercase
   * names. At most 16 headers and 4 KB are held: a header beyond these limits is ignored, and those already held
   * stay.
   * @returns whether the headers held have changed
   */
  capture(held: Map<string, string>, fields: Iterable<readonly [name: string, value: string]>): boolean {
    let hasChanged = false;
    for (const [name, value] of fields) {
      const field = name.toLowerCase();
      if (!this.owns(field) || this.#ownFields.has(field) || /[^\t\x20-\x7E]/.test(value)) continue;
      if (held.get(field) === value || (held.size >= MAX_HELD && !held.has(field))) continue;
      const others = [...held].reduce(
        (sum, [key, text]) => sum + (key === field ? 0 : key.length + text.length),
        0,
      );
      if (others + field.length + value.length > MAX_BYTES) continue;
      held.set(field, value);
      hasChanged = true;
    }
    return hasChanged;
  }
}
