import { connect, type Socket } from 'node:net';
import { type Headers } from './ask.ts';

/** A failure by its kind, undefined for a good answer; and the bytes of the body where the answer names their number. */
export type Done = (failure: string | undefined, length: number | undefined) => void;

const LAST_CHUNK = '0\r\n\r\n';
const LOOKED_AT = 400;

/** The bytes of one GraphQL request, made once and sent many times. */
export function requestBytes(body: object, headers: Headers): Buffer {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    accept: 'application/json',
    ...headers,
    'content-length': `${Buffer.byteLength(text)}`,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /graphql HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
}

/** One kept connection with one request at a time, which reads no more of an answer than tells good from bad. */
export class Connection {
  readonly #port: number;
  readonly #from: string | undefined;
  #socket: Socket | undefined;
  #done: Done | undefined;
  #start: Buffer = Buffer.alloc(0);
  #head:
    { readonly status: number; readonly length: number | undefined; readonly closes: boolean } | undefined;
  #received = 0;
  #beginning = '';
  #tail = '';

  /** @param from the local address that it comes from; by default the system's choice. */
  constructor(port: number, from?: string) {
    this.#port = port;
    this.#from = from;
  }

  send(bytes: Buffer, done: Done): void {
    this.#done = done;
    this.#start = Buffer.alloc(0);
    this.#head = undefined;
    this.#received = 0;
    this.#beginning = '';
    this.#tail = '';
    this.#socket ??= this.#open();
    this.#socket.write(bytes);
  }

  close(): void {
    this.#done = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const socket = connect({
      port: this.#port,
      host: '127.0.0.1',
      localAddress: this.#from,
      noDelay: true,
    });
    const fail = (kind: string): void => {
      if (this.#socket === socket) this.#finish(kind);
    };
    socket.on('data', (chunk: Buffer) => {
      if (this.#done !== undefined) this.#read(chunk);
    });
    socket.on('error', ({ message }) => {
      fail(message);
    });
    socket.on('close', () => {
      fail('closed');
      if (this.#socket === socket) this.#socket = undefined;
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    if (this.#head === undefined) {
      this.#start = this.#start.length === 0 ? chunk : Buffer.concat([this.#start, chunk]);
      const end = this.#start.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = this.#start.toString('latin1', 0, end + 2).toLowerCase();
      const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
      this.#head = {
        status: Number(head.slice(9, 12)),
        length: length === undefined ? undefined : Number(length),
        closes: head.includes('\r\nconnection: close'),
      };
      chunk = this.#start.subarray(end + 4);
    }
    this.#received += chunk.length;
    if (this.#beginning.length < LOOKED_AT) this.#beginning += chunk.toString('latin1', 0, LOOKED_AT);
    const { status, length } = this.#head;
    if (length === undefined)
      this.#tail = (this.#tail + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5);
    if (length === undefined ? this.#tail !== LAST_CHUNK : this.#received < length) return;
    // A refusal is an answer as well: its connection is as good as before.
    const bad = status !== 200 || this.#beginning.includes('"errors"');
    this.#finish(bad ? `status ${status}: ${this.#beginning}` : undefined, length, true);
  }

  #finish(failure: string | undefined, length?: number, isWhole = false): void {
    const done = this.#done;
    this.#done = undefined;
    if ((failure !== undefined && !isWhole) || this.#head?.closes === true) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    done?.(failure, length);
  }
}
