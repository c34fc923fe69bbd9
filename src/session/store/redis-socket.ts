import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { AbstractConnector } from 'ioredis';

/** Where Redis is, as ioredis has read it from the URL. */
interface Place {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly family?: number;
  readonly tls?: ConnectionOptions | true;
  readonly disconnectTimeout: number;
}

/** A reply came although no command was waiting for one. */
export class UnexpectedReplyError extends Error {
  override readonly name = 'UnexpectedReplyError';
}

/** Connects ioredis over a {@link CountingSocket}. */
export class CountingConnector extends AbstractConnector {
  readonly #place: Place;

  constructor(options: unknown) {
    const place = options as Place;
    super(place.disconnectTimeout);
    this.#place = place;
  }

  connect(): Promise<Socket> {
    const { host, port, family, path, tls } = this.#place;
    const target = path === undefined ? { host, port: port ?? 6379, family } : { path };
    const socket =
      tls === undefined ? connect(target) : connectTls({ ...target, ...(typeof tls === 'object' && tls) });
    // It has all of a socket that ioredis uses.
    this.stream = new CountingSocket(socket) as unknown as Socket;
    return Promise.resolve(this.stream);
  }
}

/**
 * A socket that counts commands and replies. ioredis gives each reply to the command that has waited longest, and a
 * reply that no command waits for would end the process. Here such a reply ends the connection before ioredis sees
 * it.
 */
export class CountingSocket extends Duplex {
  readonly #socket: Socket;
  readonly #commands = new ValueCount();
  readonly #replies = new ValueCount();
  #unanswered = 0;

  constructor(socket: Socket) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    for (const event of ['connect', 'secureConnect']) socket.once(event, () => this.emit(event));
    socket.on('data', (bytes: Buffer) => {
      this.#take(bytes);
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  get connecting(): boolean {
    return this.#socket.connecting;
  }

  setNoDelay(isOn: boolean): void {
    this.#socket.setNoDelay(isOn);
  }

  setKeepAlive(isOn: boolean, milliseconds: number): void {
    this.#socket.setKeepAlive(isOn, milliseconds);
  }

  setTimeout(milliseconds: number, late?: () => void): void {
    this.#socket.setTimeout(milliseconds, late);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#unanswered += this.#commands.add(bytes);
    this.#socket.write(bytes, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #take(bytes: Buffer): void {
    if (this.destroyed) return;
    this.#unanswered -= this.#replies.add(bytes);
    if (this.#unanswered < 0) this.destroy(new UnexpectedReplyError('A reply that nothing asked for'));
    else if (!this.push(bytes)) this.#socket.pause();
  }
}

const LINE_END = 10;

/**
 * Counts whole commands or replies in the bytes of the Redis protocol, RESP 2 and 3. It finds their ends and reads
 * no values.
 */
export class ValueCount {
  /** How many parts are still to come of each list that has begun, the outermost first. */
  readonly #lists: number[] = [];
  #line = '';
  /** Bytes of a string that are still to come, with its line end. */
  #rest = 0;

  /** How many end in the bytes that come next. */
  add(bytes: Buffer): number {
    let [ended, at] = [0, 0];
    while (at < bytes.length) {
      if (this.#rest > 0) {
        const taken = Math.min(this.#rest, bytes.length - at);
        at += taken;
        this.#rest -= taken;
        if (this.#rest === 0) ended += this.#endValue();
      } else {
        const lineEnd = bytes.indexOf(LINE_END, at);
        const next = lineEnd === -1 ? bytes.length : lineEnd + 1;
        this.#line += bytes.toString('latin1', at, next);
        at = next;
        if (lineEnd !== -1) ended += this.#endLine();
      }
    }
    return ended;
  }

  #endLine(): number {
    const [type, size] = [this.#line.charAt(0), Number.parseInt(this.#line.slice(1), 10)];
    this.#line = '';
    if ('$=!'.includes(type) && size >= 0) {
      this.#rest = size + 2;
      return 0;
    }
    const parts = '*~>'.includes(type) ? size : type === '%' ? 2 * size : 0;
    if (parts > 0) {
      this.#lists.push(parts);
      return 0;
    }
    return this.#endValue();
  }

  /** 1 if the value is a whole command or reply, and no part of a list that is still open. */
  #endValue(): number {
    for (let last = this.#lists.length - 1; last >= 0; last -= 1) {
      const parts = (this.#lists[last] ?? 0) - 1;
      this.#lists[last] = parts;
      if (parts > 0) return 0;
      this.#lists.pop();
    }
    return 1;
  }
}
