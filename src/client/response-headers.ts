/** Response header fields in their order on the wire, repeated names kept apart. */
export class ResponseHeaders {
  readonly fields: readonly (readonly [name: string, value: string])[];

  /** @param raw names and values in turn, as Node's `rawHeaders` */
  constructor(raw: readonly string[]) {
    const fields: [string, string][] = [];
    for (let index = 0; index + 1 < raw.length; index += 2)
      fields.push([raw[index] ?? '', raw[index + 1] ?? '']);
    this.fields = fields;
  }

  valuesOf(name: string): string[] {
    const wanted = name.toLowerCase();
    return this.fields.filter(([field]) => field.toLowerCase() === wanted).map(([, value]) => value);
  }
}
