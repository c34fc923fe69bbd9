import { ProtocolViolation } from './transport.js';

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
/** The bit by which a small letter differs from its capital. */
const SMALL = 0x20;

const LENGTH = Buffer.from('content-length:', 'latin1');
const CODING = Buffer.from('transfer-encoding:', 'latin1');

/**
 * Reads the lines of one head after another, interim or final, with the same result however they are cut into packets. It
 * looks for what undici's parser and Node's own read differently, or both not as RFC 9112 does:
 *
 * - A carriage return without a line feed breaks an answer. undici takes a second one for the end of the status line, and may
 *   then take the first field for the body.
 * - So does a `Transfer-Encoding` that is empty, or names `chunked` anywhere but at its end. undici reads such an answer as if it
 *   had none, and both may take the chunks for the body.
 * - A tab in a `Content-Length` is white space. undici takes only spaces after the number.
 * - So is a tab in a `Transfer-Encoding`. Both take only spaces after `chunked`, and would read the chunks as the body.
 */
export class HeadLines {
  /** What it means if the next byte is anything but a line feed. */
  #violation: ProtocolViolation['code'] | undefined;
  /** Whether this line is neither of the two fields. */
  #isOther = false;
  /** The field that this line may be, and how many bytes of the line spell its name so far. */
  #name = LENGTH;
  #spelled = 0;
  /** The value of this `Transfer-Encoding` so far, and those before it in this head. */
  #coding = '';
  #codings: string[] = [];

  /** The rest of a status line comes next. */
  start(): void {
    this.#startLine();
    this.#codings = [];
    this.#violation = undefined;
    this.#isOther = true;
  }

  /**
   * Reads on, and changes tabs that are only white space to spaces. Returns where the head ends; undefined while it does not.
   * @throws ProtocolViolation
   */
  read(bytes: Buffer, from: number): number | undefined {
    for (let at = from; at < bytes.length; at += 1) {
      if (this.#isOther && this.#violation === undefined) at = lineEnd(bytes, at);
      const byte = bytes[at];
      if (byte === undefined) break;
      if (byte === LF) {
        if (this.#spelled === 0 && !this.#isOther) return at + 1;
        this.#endLine();
      } else if (this.#violation !== undefined) throw new ProtocolViolation(this.#violation);
      else if (byte === CR) this.#violation = 'HPE_LF_EXPECTED';
      else if (this.#isOfValue(byte) && byte === TAB) bytes[at] = SPACE;
    }
    return undefined;
  }

  #endLine(): void {
    this.#violation = undefined;
    if (this.#name === CODING && this.#isInValue()) {
      this.#codings.push(this.#coding.trim().toLowerCase());
      if (areMisread(this.#codings)) this.#violation = 'HPE_INVALID_TRANSFER_ENCODING';
    }
    this.#startLine();
  }

  #startLine(): void {
    this.#isOther = false;
    this.#spelled = 0;
    this.#coding = '';
  }

  /** Takes a byte of one of the two fields, as far as is known. Returns whether it is in the value. */
  #isOfValue(byte: number): boolean {
    if (this.#isInValue()) {
      if (this.#name === CODING) this.#coding += String.fromCharCode(byte);
      return true;
    }
    const small = byte | SMALL;
    if (this.#spelled === 0) this.#name = small === LENGTH[0] ? LENGTH : CODING;
    if (small === this.#name[this.#spelled]) this.#spelled += 1;
    else this.#isOther = true;
    return false;
  }

  #isInValue(): boolean {
    return this.#spelled === this.#name.length;
  }
}

/** Whether transfer codings, one text for each field, say nothing or that chunks come with something else around them. */
function areMisread(fields: readonly string[]): boolean {
  const codings = fields.join(',');
  const last = codings.slice(codings.lastIndexOf(',') + 1).trim();
  return fields.at(-1) === '' || (last !== 'chunked' && codings.includes('chunked'));
}

/** Where the line ends, or the bytes do. */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== CR && bytes[at] !== LF) at += 1;
  return at;
}
