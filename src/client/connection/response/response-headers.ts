import { inspect } from 'node:util';

/** One header field. */
export type HeaderField = readonly [name: string, value: string];

/**
 * Response header fields in their order on the wire, repeated names kept apart. Printing them shows names only, since values
 * hold tokens and cookies; `fields` and `valuesOf` are for who means the values.
 */
export class ResponseHeaders {
  readonly #fields: readonly HeaderField[];

  /** @param raw names and values in turn, as Node's `rawHeaders` */
  constructor(raw: readonly string[]) {
    const fields: HeaderField[] = [];
    for (let index = 0; index + 1 < raw.length; index += 2)
      fields.push([raw[index] ?? '', raw[index + 1] ?? '']);
    this.#fields = fields;
  }

  /** Names as they came, and values. */
  get fields(): readonly HeaderField[] {
    return this.#fields;
  }

  /** All values of one name, by any capitals. */
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
