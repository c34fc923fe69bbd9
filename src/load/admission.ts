import {
  OVERLOAD_REASONS,
  overloaded,
  type OverloadReason,
  type ServiceError,
} from '../errors/service-error.js';
import { type Caller } from '../http/caller.js';
import { type Party } from 'portico/internal';
import { isStranger, type KnownSessions } from '../session/handle.js';
import { EventLoopPacer } from './event-loop-pacer.js';
import { LoadLimit, type ProcessSample } from './load-limit.js';
import { type Connection, PausedConnections } from './paused-connections.js';
import { type Full, RequestQueue } from './request-queue.js';
import { type RequestSlot } from './request-slot.js';

/** How many requests may be in flight. */
export interface AdmissionLimits {
  readonly inFlight: number;
  readonly perSession: number;
}

export interface AdmissionOptions extends AdmissionLimits {
  /** Whether the service is stopping: from then on no connection is paused. */
  readonly isStopping: () => boolean;
  /** Of the documents by whose hash a logout may be asked for. */
  readonly logoutHashes: readonly string[];
  /** The sessions whose handles are not made up. */
  readonly sessions: KnownSessions;
  /** How many requests make a large answer, or wait to make one. */
  readonly heavy?: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: (() => number) | undefined;
}

/** What has been refused, by reason. */
export type Refusals = Readonly<Record<OverloadReason, number>>;

const PATIENCE_MS = 500;
/** Places beside all others, for logouts: a short document each. */
const LOGOUTS = { all: 50, waiting: 1000, perSession: 2, ofStrangers: 12, patience: 5_000 };
/** Requests without a known session have this part of all places for each network: an office, a router. */
const STRANGERS_SHARE = 0.25;
const LOGOUT = /logout/i;
/** More than any logout has. */
export const LOGOUT_BYTES = 2048;

/** Enough requests wait while connections are paused that the CPU is never without work. */
const RESERVE_MS = 8;
const LEAST_RESERVE = 8;
/** When more wait than this many milliseconds of work, connections are paused, and no more may wait. */
const CROWD_MS = 50;
const LEAST_CROWD = 64;
/** Made once: a stack for each of thousands of refusals would cost more than the rest of a refusal. */
const REFUSALS = new Map(OVERLOAD_REASONS.map((reason) => [reason, overloaded(reason)]));

/** Decides which requests may come in, before anything of them is parsed. */
export class Admission {
  readonly limit: LoadLimit;
  readonly pacer: EventLoopPacer;
  readonly #paused = new PausedConnections({
    room: () => this.#room,
    answers: () => this.limit.within(1000),
  });
  readonly #sessions: KnownSessions;
  readonly #queue: RequestQueue;
  readonly #logouts = new RequestQueue({
    limits: { value: LOGOUTS.all, mostWaiting: LOGOUTS.waiting },
    mostOf: (session) => (isStranger(session) ? LOGOUTS.ofStrangers : LOGOUTS.perSession),
    patience: LOGOUTS.patience,
  });
  readonly #logoutHashes: readonly string[];
  readonly #isStopping: () => boolean;
  readonly #refused: Record<OverloadReason, number> = { SESSION_BUSY: 0, ADDRESS_BUSY: 0, SERVICE_BUSY: 0 };
  readonly #now: () => number;
  #refusedAt = -Infinity;

  constructor(options: AdmissionOptions) {
    this.pacer = new EventLoopPacer(() => this.inFlight <= (options.heavy?.() ?? 0));
    this.#sessions = options.sessions;
    this.#logoutHashes = options.logoutHashes;
    this.#isStopping = options.isStopping;
    this.#now = options.now ?? (() => performance.now());
    this.limit = new LoadLimit(options.inFlight);
    const perNetwork = Math.max(1, Math.ceil(options.inFlight * STRANGERS_SHARE));
    this.#queue = new RequestQueue({
      limits: this.limit,
      mostOf: (session) => (isStranger(session) ? perNetwork : options.perSession),
      patience: PATIENCE_MS,
    });
  }

  /** Whether the service is stopping, so that each answer has to close its connection. */
  get isStopping(): boolean {
    return this.#isStopping();
  }

  get refused(): Refusals {
    return this.#refused;
  }

  get inFlight(): number {
    return this.#queue.inFlight + this.#logouts.inFlight;
  }

  get waiting(): number {
    return this.#queue.waiting + this.#logouts.waiting;
  }

  /** How many connections wait to be read again after an answer. */
  get paused(): number {
    return this.#paused.size;
  }

  /** Whether no more may wait, except of a network that has little. */
  get isCrowded(): boolean {
    return this.#queue.isFull || (!this.#paused.isIdle && this.#begunLater > this.#crowd);
  }

  /** Whether no more of a network may wait: new requests are refused, except logouts. */
  isFull(network: string): boolean {
    return this.isCrowded && !this.#queue.hasReserve(network, this.#crowd);
  }

  /** Adapts the limit to a sample of the process. */
  readonly observe = (sample: ProcessSample): void => {
    this.limit.observe({ ...sample, ...this.#queue.takeCounts() });
    this.#queue.admitWaiting();
  };

  /**
   * The refusal of one that could not even wait, before its body is read; undefined if its body is short enough for a
   * logout.
   *
   * @param length of its body in bytes; infinite if it does not say.
   */
  refusalBeforeBody(caller: Caller, length: number): ServiceError | undefined {
    if (length <= LOGOUT_BYTES) return undefined;
    const party = this.#sessions.partyOf(caller);
    const full = this.#queue.full(party);
    return full === undefined ? undefined : this.#refuse(party, full);
  }

  /**
   * Lets a request in, immediately or after a short wait.
   *
   * @param body as it came, if it has one. One that mentions a logout may take a place of those that are kept for
   * logouts.
   * @throws ServiceError OVERLOADED
   */
  async enter(caller: Caller, slot: RequestSlot, body?: Buffer): Promise<void> {
    const since = this.#now();
    const party = this.#sessions.partyOf(caller);
    const place = this.#queue.tryEnter(party);
    if (place === undefined) await this.#wait(party, slot, body);
    else slot.enter(place);
    // The request already counts as in flight while it waits for its turn.
    if (!this.limit.isShedding && this.pacer.mayBegin()) return;
    await this.pacer.turn(party);
    if (this.#isTooLate(since) && (body === undefined || !this.mayBeLogout(body)))
      throw this.#refusal('SERVICE_BUSY');
  }

  /** Whether what has just been read from a connection was paused for too long to be let in. */
  isLate(connection: Connection): boolean {
    return this.#paused.late.has(connection);
  }

  /** A connection has taken an answer for a caller in a network. */
  readonly answered = (connection: Connection, network: string): void => {
    const isCrowded = this.limit.isShedding && this.#begunLater + this.#paused.size > this.#crowd;
    if (isCrowded && !this.#isStopping()) this.#paused.pause(connection, network);
    if (this.#room >= 1) this.#paused.release();
  };

  /** Whether the text of a body mentions a logout. */
  mayBeLogout(body: Buffer): boolean {
    if (body.length > LOGOUT_BYTES) return false;
    const text = body.toString('latin1');
    return LOGOUT.test(text) || this.#logoutHashes.some((hash) => text.includes(hash));
  }

  /** The refusal of one that is not even looked at. */
  refuseUnread(): ServiceError {
    return this.#refusal('SERVICE_BUSY');
  }

  /**
   * A burst may take longer than the patience. But while there is no time for all, none of it goes to those that have
   * waited for too long.
   */
  #isTooLate(since: number): boolean {
    const now = this.#now();
    return now - since > PATIENCE_MS && now - this.#refusedAt < PATIENCE_MS;
  }

  /** Requests that have been read and have not begun. */
  get #begunLater(): number {
    return this.#queue.waiting + this.pacer.waiting;
  }

  get #crowd(): number {
    return Math.max(LEAST_CROWD, this.limit.within(CROWD_MS));
  }

  /** How many more requests may be read. */
  get #room(): number {
    if (!this.limit.isShedding || this.#isStopping()) return Infinity;
    return Math.max(LEAST_RESERVE, this.limit.within(RESERVE_MS)) - this.#begunLater;
  }

  async #wait(party: Party, slot: RequestSlot, body?: Buffer): Promise<void> {
    const isLogout = body !== undefined && this.mayBeLogout(body);
    const entered = await (isLogout ? this.#logouts : this.#queue).enter(party, slot);
    if (typeof entered === 'string') throw this.#refuse(party, entered);
    slot.enter(entered, isLogout);
  }

  #refuse(party: Party, full: Full): ServiceError {
    if (full === 'all') return this.#refusal('SERVICE_BUSY');
    return this.#refusal(isStranger(party.at(-1) ?? '') ? 'ADDRESS_BUSY' : 'SESSION_BUSY');
  }

  #refusal(reason: OverloadReason): ServiceError {
    this.#refused[reason] += 1;
    if (reason === 'SERVICE_BUSY') this.#refusedAt = this.#now();
    return REFUSALS.get(reason) ?? overloaded(reason);
  }
}
