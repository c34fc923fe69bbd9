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
/** Iterations in a row in which connections are accepted and none is read, at most. */
const MOST_SKIPPED = 64;

/** A connection that has not asked for anything yet. */
export interface Newcomer {
  readonly socket: Socket;
  readonly network: string;
}

/**
 * Networks from which a connection has just sent a flood of requests. To parse one packet of it takes up to 15 ms, so
 * hundreds of such connections would stop the process for seconds. New connections from there are read one at a time,
 * in turn by network; callers behind the same router wait for a moment. Of all other networks one is read in each
 * iteration of the event loop: any of them may bring the next flood.
 */
export class SuspectNetworks {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();
  /** New connections that are not read yet, by network. */
  readonly #waiting = new Map<string, Socket[]>();
  #count = 0;
  /** New connections of networks that are not suspected. */
  readonly #newcomers: Newcomer[] = [];
  #isFresh = false;
  #skipped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param newcomers of all networks. */
  suspect(network: string, newcomers: readonly Newcomer[]): void {
    this.#until.set(network, this.#now() + SUSPECT_MS);
    this.#timer ??= setInterval(this.#readNext, READ_EVERY_MS).unref();
    for (const newcomer of newcomers) {
      if (!newcomer.socket.isPaused() && this.#wait(newcomer)) newcomer.socket.pause();
    }
  }

  /** Lets a new connection wait, if any network is suspected. @returns false if no more of its network may wait. */
  admit(newcomer: Newcomer): boolean {
    if (this.#timer === undefined) return true;
    const waits = this.#wait(newcomer);
    this.#isFresh = true;
    // Node begins to read a new connection in the next tick.
    if (waits) process.nextTick(() => newcomer.socket.pause());
    return waits || !this.#isSlow(newcomer);
  }

  #wait(newcomer: Newcomer): boolean {
    if (this.#isSlow(newcomer)) return this.#waitForNetwork(newcomer);
    if (this.#newcomers.length >= MOST_WAITING) return false;
    if (this.#newcomers.push(newcomer) === 1) setImmediate(this.#readNewcomer);
    return true;
  }

  #isSlow({ network }: Newcomer): boolean {
    return this.#waiting.has(network) || this.#isSuspected(network);
  }

  /** The newest first: while a flood is worked off, others go on as if it were not there. */
  readonly #readNewcomer = (): void => {
    // libuv accepts one connection per iteration: the others would wait for as many packets to be parsed.
    if (this.#isFresh && this.#skipped < MOST_SKIPPED) {
      this.#isFresh = false;
      this.#skipped += 1;
      setImmediate(this.#readNewcomer);
      return;
    }
    this.#skipped = 0;
    const newest = this.#newcomers.pop();
    if (newest === undefined) return;
    if (newest.socket.destroyed || (this.#isSlow(newest) && this.#waitForNetwork(newest)))
      this.#readNewcomer();
    else {
      newest.socket.resume();
      if (this.#newcomers.length > 0) setImmediate(this.#readNewcomer);
    }
  };

  /** @returns false if no more may wait. */
  #waitForNetwork({ socket, network }: Newcomer): boolean {
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
