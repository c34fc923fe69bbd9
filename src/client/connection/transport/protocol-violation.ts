/** An answer that breaks HTTP in a way for which the library has no error of this kind; `networkFailure` reads the code. */
export class ProtocolViolation extends Error {
  readonly code: `HPE_${string}`;

  constructor(code: `HPE_${string}`) {
    super(code);
    this.code = code;
  }
}
