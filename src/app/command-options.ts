/** The options of a command, as they were written. */
export interface CommandOptions {
  readonly json?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly username?: string | undefined;
  readonly id?: string | undefined;
}
