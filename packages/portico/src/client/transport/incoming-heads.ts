import { type Socket } from 'node:net';
import { HeadLines } from './head-lines.js';

const LF = 0x0a;
const CR = 0x0d;
const TWO = 0x32;

/** What parsers take as the start of a status line, the usual one first. */
const VERSIONS = ['HTTP/', 'RTSP/', 'ICE/'].flatMap((protocol) =>
  ['1.1 ', '1.0 ', '0.9 ', '2.0 '].map((version) => protocol + version),
);
/** `HTTP/1.1 100` */
const LONGEST_START = 12;
const STATUS_LENGTH = 3;

type Place = 'start' | 'interim head' | 'head' | 'answer';

/**
 * Lets both parsers, undici's and Node's own, get the head of each answer in a form that they read alike. See `IncomingHeads` and
 * `HeadLines` for the differences. Looks only at the bytes between a request and the end of the head of its answer, and at none
 * of a body. Has no effect on a connection that has it already.
 */
export function readHeadsAlike(socket: Socket): void {
  if (ALIKE.has(socket)) return;
  ALIKE.add(socket);
  const incoming = new IncomingHeads();
  const push = socket.push.bind(socket);
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  // What has arrived comes in here first, whether its reader waits for it or asks for it.
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) return push(null);
    try {
      const bytes = incoming.pass(chunk);
      return bytes === null || push(bytes);
    } catch (error) {
      socket.destroy(error as Error);
      return false;
    }
  };
  socket.write = (...args: unknown[]) => {
    incoming.expectAnswer();
    return write(...args);
  };
}

const ALIKE = new WeakSet<Socket>();

/**
 * The incoming bytes of one connection. undici fails on a `100 Continue` that it has not asked for, although every client has to
 * accept one (RFC 9110, 15.2), but skips other interim responses. So the status of each 100 is changed to 102 on its way in.
 */
export class IncomingHeads {
  #place: Place = 'answer';
  /** The start of a status line, while it is too short to recognize. */
  #held: Buffer = Buffer.alloc(0);
  readonly #lines = new HeadLines();

  /** A request is sent, so the next bytes start with a status line. */
  expectAnswer(): void {
    if (this.#place === 'answer') this.#place = 'start';
  }

  /**
   * The bytes to parse; null while there are none.
   * @throws ProtocolViolation for a head that only one of the parsers refuses
   */
  pass(chunk: Buffer): Buffer | null {
    if (this.#isInAnswer()) return chunk;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length && !this.#isInAnswer()) {
      if (this.#place !== 'start') at = this.#readHead(bytes, at);
      else if (bytes[at] === CR || bytes[at] === LF) at += 1;
      else {
        const length = startLength(bytes.toString('latin1', at, at + LONGEST_START));
        if (length === undefined) return this.#hold(bytes, at);
        at = this.#readStatus(bytes, at, length);
      }
    }
    return bytes;
  }

  #isInAnswer(): boolean {
    return this.#place === 'answer';
  }

  #hold(bytes: Buffer, from: number): Buffer | null {
    this.#held = bytes.subarray(from);
    return from === 0 ? null : bytes.subarray(0, from);
  }

  #readStatus(bytes: Buffer, from: number, length: number): number {
    const end = from + length;
    const status = bytes.toString('latin1', Math.max(from, end - STATUS_LENGTH), end);
    if (status === '100') bytes[end - 1] = TWO;
    if (status === '') this.#place = 'answer';
    else this.#place = status.startsWith('1') && status !== '101' ? 'interim head' : 'head';
    this.#lines.start();
    return end;
  }

  #readHead(bytes: Buffer, from: number): number {
    const end = this.#lines.read(bytes, from);
    if (end === undefined) return bytes.length;
    this.#place = this.#place === 'head' ? 'answer' : 'start';
    return end;
  }
}

/**
 * The length of the version and the status at the start of a text. 0: the text does not start with them; the parser refuses
 * it, and no more may follow. Undefined: the text is too short to tell.
 */
function startLength(text: string): number | undefined {
  const version = VERSIONS.find((each) => text.startsWith(each) || each.startsWith(text));
  if (version === undefined) return 0;
  const end = version.length + STATUS_LENGTH;
  if (!/^\d*$/.test(text.slice(version.length, end))) return 0;
  return text.length < end ? undefined : end;
}
