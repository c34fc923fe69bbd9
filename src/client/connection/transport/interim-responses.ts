import { type Socket } from 'node:net';

/** Interim responses (1xx) that one answer may have before it; more are a protocol error. */
export const MAX_INTERIM_RESPONSES = 100;

const LF = 0x0a;
const CR = 0x0d;
const TWO = 0x32;

/** The versions that parsers take, as a status line starts with them. */
const VERSIONS = ['HTTP/1.1 ', 'HTTP/1.0 ', 'HTTP/0.9 ', 'HTTP/2.0 '] as const;
/** `HTTP/1.1 100` */
const STATUS_END = VERSIONS[0].length + 3;
const END_OF_HEAD = [CR, LF, CR, LF] as const;

type Place = 'start' | 'interim head' | 'answer';

/**
 * Lets undici read an unrequested `100 Continue`. undici fails on it, although every client has to accept one (RFC 9110, 15.2),
 * but skips other interim responses. So the status of each 100 is changed to 102 on its way in. The bytes of an answer are never
 * changed: only those between a request and the first status line that is not 1xx are examined.
 */
export function tolerateContinue(socket: Socket): void {
  const incoming = new InterimResponses();
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.read = (size) => {
    const chunk = read(size);
    return chunk === null ? null : incoming.pass(chunk);
  };
  socket.write = (...args: unknown[]) => {
    incoming.expectAnswer();
    return write(...args);
  };
}

/** The incoming bytes of one connection. */
export class InterimResponses {
  #place: Place = 'answer';
  /** The start of a status line, while it is too short to recognize. */
  #held: Buffer = Buffer.alloc(0);
  #endMatched = 0;

  /** A request is sent, so the next bytes start with a status line. */
  expectAnswer(): void {
    if (this.#place === 'answer') this.#place = 'start';
  }

  /** The bytes to parse; null while there are none. */
  pass(chunk: Buffer): Buffer | null {
    if (this.#isInAnswer()) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length && !this.#isInAnswer()) {
      if (this.#place === 'interim head') at = this.#skipHead(bytes, at);
      else if (bytes[at] === CR || bytes[at] === LF) at += 1;
      else if (bytes.length - at < STATUS_END) return this.#hold(bytes, at);
      else this.#readStatus(bytes, at);
    }
    return bytes;
  }

  #isInAnswer(): boolean {
    return this.#place === 'answer';
  }

  #hold(bytes: Buffer, from: number): Buffer | null {
    // Bytes that cannot become the status of an interim response are passed on at once, since no more may follow.
    if (!startsInterimStatus(bytes.toString('latin1', from))) {
      this.#place = 'answer';
      return bytes;
    }
    this.#held = bytes.subarray(from);
    return from === 0 ? null : bytes.subarray(0, from);
  }

  #readStatus(bytes: Buffer, at: number): void {
    const status = /^HTTP\/\d\.\d (1\d\d)$/.exec(bytes.toString('latin1', at, at + STATUS_END))?.[1];
    if (status === undefined || status === '101') this.#place = 'answer';
    else {
      if (status === '100') bytes[at + STATUS_END - 1] = TWO;
      this.#place = 'interim head';
      this.#endMatched = 0;
    }
  }

  #skipHead(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      if (bytes[at] === END_OF_HEAD[this.#endMatched]) this.#endMatched += 1;
      else this.#endMatched = bytes[at] === CR ? 1 : 0;
      if (this.#endMatched === END_OF_HEAD.length) {
        this.#place = 'start';
        return at + 1;
      }
    }
    return bytes.length;
  }
}

function startsInterimStatus(text: string): boolean {
  const start = VERSIONS.find((version) => version.startsWith(text) || text.startsWith(version));
  return start !== undefined && /^(?:1\d?\d?)?$/.test(text.slice(start.length));
}
