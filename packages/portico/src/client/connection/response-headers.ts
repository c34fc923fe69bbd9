import { inspect } from 'node:util';

/** One header field. */
export type HeaderField = readonly [name: string, value: string];

/**
 * Response header fields in the order received, with repeated names kept separate. Printing them shows only names,
 * because values contain tokens and cookies; `fields` and `valuesOf` return the values.
 */
export class ResponseHeaders {
  readonly #fields: readonly HeaderField[];
  readonly #values = new Map<string, string[]>();

  /** @param raw names and values alternating, as in Node's `rawHeaders` */
  constructor(raw: readonly string[]) {
    const fields: HeaderField[] = [];
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index] ?? '';
      const value = withoutOuterSpace(raw[index + 1] ?? '');
      fields.push([name, value]);
      const key = name.toLowerCase();
      const values = this.#values.get(key);
      if (values === undefined) this.#values.set(key, [value]);
      else values.push(value);
    }
    this.#fields = fields;
  }

  /** Names as received, and values. */
  get fields(): readonly HeaderField[] {
    return this.#fields;
  }

  /** All values of one name, in any letter case. */
  valuesOf(name: string): string[] {
    return [...(this.#values.get(name.toLowerCase()) ?? [])];
  }

  /** What `JSON.stringify` and inspection show: the names. */
  toJSON(): string[] {
    return this.#fields.map(([name]) => name);
  }

  [inspect.custom](): string {
    return `ResponseHeaders ${inspect(this.toJSON())}`;
  }
}

/** Space around a value is not part of it (RFC 9110, 5.5); not every HTTP library removes it. */
function withoutOuterSpace(value: string): string {
  return isSpace(value.charCodeAt(0)) || isSpace(value.charCodeAt(value.length - 1))
    ? value.replace(/^[\t ]+|[\t ]+$/g, '')
    : value;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
