import { inspect } from 'node:util';

/** One header field. */
export type HeaderField = readonly [name: string, value: string];

/**
 * Response header fields in the order received, with repeated names kept separate. Printing them shows only names, because
 * values contain tokens and cookies; `fields` and `valuesOf` return the values.
 */
export class ResponseHeaders {
  readonly #fields: readonly HeaderField[];

  /** @param raw names and values alternating, as in Node's `rawHeaders` */
  constructor(raw: readonly string[]) {
    const fields: HeaderField[] = [];
    for (let index = 0; index + 1 < raw.length; index += 2)
      fields.push([raw[index] ?? '', raw[index + 1] ?? '']);
    this.#fields = fields;
  }

  /** Names as received, and values. */
  get fields(): readonly HeaderField[] {
    return this.#fields;
  }

  /** All values of one name, in any letter case. */
  valuesOf(name: string): string[] {
    const wanted = name.toLowerCase();
    return this.#fields.filter(([field]) => field.toLowerCase() === wanted).map(([, value]) => value);
  }

  /** What `JSON.stringify` and inspection show: the names. */
  toJSON(): string[] {
    return this.#fields.map(([name]) => name);
  }

  [inspect.custom](): string {
    return `ResponseHeaders ${inspect(this.toJSON())}`;
  }
}
