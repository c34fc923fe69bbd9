/** A message with fields of its own in the log. The fields come from closed sets, or are bounded where they are made. */
export class LogLine {
  constructor(
    readonly message: string,
    readonly fields: Readonly<Record<string, unknown>>,
  ) {}
}
