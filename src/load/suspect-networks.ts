import { type Socket } from 'node:net';

/** How long a network is suspected after one of its connections was cut off. */
const SUSPECT_MS = 1_000;
/** How often one of the waiting connections is read. What it sends may take 15 ms to parse. */
const READ_EVERY_MS = 50;
/** How many are read instead when none of their network has been cut off for a while. */
const READ_AFTERWARDS = 8;
/** They wait for less than the 10 s after which a connection without a request is closed. */
const MOST_WAITING_OF_ONE = 128;
const MOST_WAITING = 512;

/**
 * Networks from which a connection has just sent a flood of requests. To parse one packet of it takes up to 15 ms, so
 * hundreds of such connections would stop the process for seconds. New connections from there are read one at a time,
 * in turn by network; callers behind the same router wait for a moment.
 */
export class SuspectNetworks {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();
  /** New connections that are not read yet, by network. */
  readonly #waiting = new Map<string, Socket[]>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param idle its other connections, which have not asked for anything yet. */
  suspect(network: string, idle: readonly Socket[]): void {
    this.#until.set(network, this.#now() + SUSPECT_MS);
    this.#timer ??= setInterval(this.#readNext, READ_EVERY_MS).unref();
    for (const socket of idle) {
      if (!socket.isPaused() && this.#wait(socket, network)) socket.pause();
    }
  }

  /** Lets a new connection wait, if its network is suspected. @returns false if no more may wait. */
  admit(socket: Socket, network: string): boolean {
    if (this.#timer === undefined) return true;
    if (!this.#waiting.has(network) && !this.#isSuspected(network)) return true;
    // Node begins to read a new connection in the next tick.
    process.nextTick(() => socket.pause());
    return this.#wait(socket, network);
  }

  /** @returns false if no more may wait. */
  #wait(socket: Socket, network: string): boolean {
    const others = this.#waiting.get(network) ?? [];
    if (others.length >= MOST_WAITING_OF_ONE || this.#count >= MOST_WAITING) return false;
    others.push(socket);
    this.#waiting.set(network, others);
    this.#count += 1;
    return true;
  }

  #isSuspected(network: string): boolean {
    return (this.#until.get(network) ?? -Infinity) >= this.#now();
  }

  readonly #readNext = (): void => {
    const [next] = this.#waiting;
    if (next !== undefined) this.#readSome(...next);
    for (const network of this.#until.keys()) if (!this.#isSuspected(network)) this.#until.delete(network);
    if (this.#until.size > 0 || this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };

  #readSome(network: string, sockets: Socket[]): void {
    this.#waiting.delete(network);
    const read = sockets.splice(0, this.#isSuspected(network) ? 1 : READ_AFTERWARDS);
    this.#count -= read.length;
    // To the end of the line of networks.
    if (sockets.length > 0) this.#waiting.set(network, sockets);
    for (const socket of read) if (!socket.destroyed) socket.resume();
  }
}
