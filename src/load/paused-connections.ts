import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { FairQueue } from 'portico/internal';
import { isProbe } from '../http/caller.js';

export type Connection = Pick<Socket, 'pause' | 'resume' | 'destroyed'>;

export interface PauseOptions {
  /** How many requests may be read now. Read each time. */
  readonly room: () => number;
  /** How many requests are answered in a second. Read each time. */
  readonly answers: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/** Together with its wait afterwards, a request that is let in is answered within a second. */
const PATIENCE_MS = 700;
const CHECK_MS = 5;
/** A refusal costs a tenth to a fifth of an answer, so that refusals take little of the time that answers need. */
const REFUSALS_PER_ANSWER = 0.25;
/** From then on, a caller is refused at the higher rate. */
const LONG_MS = 5_000;
/** However many connections wait that long, refusals never take much of the time. */
const MOST_REFUSALS_PER_ANSWER = 1;

/**
 * Connections that are not read for a while after an answer. What they send next waits in the buffers of the system,
 * where it costs the process nothing. They are read again as soon as there is room: one of each network in turn,
 * those of a network in the order of their answers. Those for which there is none within 700 ms are late: they are
 * read a few at a time, more of them after five seconds, and what they have sent is refused.
 */
export class PausedConnections {
  readonly #options: PauseOptions;
  readonly #now: () => number;
  /** In the order in which they were paused. */
  readonly #waiting = new Map<Connection, Pause>();
  readonly #turns = new FairQueue<Connection>();
  /** Each with the time at which it was paused, in order. */
  readonly #late = new Map<Connection, number>();
  readonly #refused = new Set<Connection>();
  readonly #usual = new TokenBucket();
  readonly #urgent = new TokenBucket();
  /** What has just been read from these was paused for too long, and has to be refused. */
  readonly late: ReadonlySet<Connection> = this.#refused;
  /** Whether none is paused. Set here alone. */
  isIdle = true;
  /** How many are read again whose requests arrive in this iteration of the event loop. */
  #arriving = 0;
  #checked = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PauseOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get size(): number {
    return this.#waiting.size + this.#late.size;
  }

  /** @param network of the caller who has been answered */
  pause(connection: Connection, network: string): void {
    if (connection.destroyed || this.#waiting.has(connection) || this.#late.has(connection)) return;
    connection.pause();
    const now = this.#now();
    this.#waiting.set(connection, { since: now, leaveTurns: this.#turns.add([network], connection) });
    if (this.#timer !== undefined) return;
    this.#checked = now;
    this.#timer = setInterval(this.check, CHECK_MS).unref();
    this.isIdle = false;
  }

  /** Finds those that are late, and lets some of all be read. Called by a timer. */
  readonly check = (): void => {
    const now = this.#now();
    // With room for all, none is late.
    if (this.#options.room() !== Infinity) this.#giveUp(now);
    this.#letBeRefused(now, this.#letIn());
    this.#checked = now;
    this.#endWhenEmpty();
  };

  /** Lets those be read for whose requests there is room. */
  readonly release = (): void => {
    if (this.#waiting.size === 0) return;
    this.#letIn();
    this.#endWhenEmpty();
  };

  readonly #arrived = (count: number): void => {
    this.#arriving -= count;
  };

  readonly #forget = (read: readonly Connection[]): void => {
    for (const connection of read) this.#refused.delete(connection);
  };

  #endWhenEmpty(): void {
    if (this.size !== 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.isIdle = true;
  }

  /** @returns for how many more there is room. */
  #letIn(): number {
    let room = this.#options.room() - this.#arriving;
    let arriving = 0;
    while (room >= 1) {
      const connection = this.#turns.next();
      if (connection === undefined) break;
      this.#waiting.delete(connection);
      if (!read(connection)) continue;
      room -= 1;
      arriving += 1;
    }
    this.#arriving += arriving;
    // What they have sent is read before that, and then counts as waiting.
    if (arriving > 0) setImmediate(this.#arrived, arriving);
    return room;
  }

  #giveUp(now: number): void {
    for (const [connection, { since, leaveTurns }] of this.#waiting) {
      if (now - since < PATIENCE_MS) return;
      leaveTurns();
      this.#waiting.delete(connection);
      this.#late.set(connection, since);
    }
  }

  #letBeRefused(now: number, room: number): void {
    const answers = this.#options.answers();
    this.#usual.earn(answers * REFUSALS_PER_ANSWER, now - this.#checked);
    this.#urgent.earn(answers * MOST_REFUSALS_PER_ANSWER, now - this.#checked);
    let left = room;
    const refused: Connection[] = [];
    for (const [connection, since] of this.#late) {
      const bucket = now - since < LONG_MS ? this.#usual : this.#urgent;
      if (left < 1 && !bucket.isLeft) break;
      this.#late.delete(connection);
      if (!read(connection)) continue;
      left -= 1;
      this.#usual.take();
      this.#urgent.take();
      if (room === Infinity) continue;
      this.#refused.add(connection);
      refused.push(connection);
    }
    // What has been waiting is read before that; what comes later has not waited.
    if (refused.length > 0) setImmediate(this.#forget, refused);
  }
}

interface Pause {
  readonly since: number;
  readonly leaveTurns: () => void;
}

function read(connection: Connection): boolean {
  if (connection.destroyed) return false;
  connection.resume();
  return true;
}

/** How long a bucket fills. */
const BURST_MS = 20;

/** How much may be done by now of what has a rate. */
class TokenBucket {
  #left = 0;

  /** Whether one more may be done. */
  get isLeft(): boolean {
    return this.#left >= 1;
  }

  earn(perSecond: number, milliseconds: number): void {
    const most = Math.max(1, (perSecond * BURST_MS) / 1000);
    this.#left = Math.min(this.#left + (perSecond * milliseconds) / 1000, most);
  }

  take(): void {
    this.#left = Math.max(0, this.#left - 1);
  }
}

/**
 * For a process that is busy: a connection that has just been answered is not read until its next request can find a
 * place. Otherwise callers who ask again immediately would have so much refused that no time is left for answers. The
 * connections of probes are always read.
 */
export function pauseAnswered(
  request: IncomingMessage,
  response: ServerResponse,
  answered: (connection: Connection, network: string) => void,
  networkOf: (request: IncomingMessage) => string,
): void {
  const { socket, url } = request;
  if (isProbe(url?.split('?', 1)[0])) return;
  // Later than Node's own last look at the connection, which would read it again.
  response.once('close', () => setImmediate(answered, socket, networkOf(request)));
}
