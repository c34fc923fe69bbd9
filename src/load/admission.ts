import { type Caller } from '../http/caller.js';
import { FairGate, type Full, type Party } from './fair-gate.js';
import { type Connection, HeldConnections } from './held-connections.js';
import { LoadLimit, type LoadSample } from './load-limit.js';
import { LoopPace } from './loop-pace.js';
import { type Passage } from './passage.js';
import { Strangers } from './strangers.js';
import { OVERLOAD_REASONS, type OverloadReason, overloaded, ServiceError } from '../errors/service-error.js';

export interface AdmissionLimits {
  /** Requests in flight, in all. */
  readonly inFlight: number;
  /** Requests in flight of one session. */
  readonly perSession: number;
}

/** What has been refused, by reason. */
export type Refusals = Readonly<Record<OverloadReason, number>>;

const PATIENCE_MS = 500;
/** Each holds a body and a connection. */
const MOST_WAITING = 1024;
/** Callers without a session share an address with many others: an office, a router. */
const ADDRESS_SHARE = 0.25;
/** Places beside all others, for logouts: a short document each. */
const LOGOUTS = { all: 50, waiting: 1000, perParty: 2, patience: 5_000 };
const LOGOUT = /logout/i;
/** More than any logout has. */
export const LOGOUT_BYTES = 2048;

/** A busy process has so many in flight as it ends in 250 ms: as many more begin in half of the patience. */
const WAITING_PER_PLACE = 1;
/** A short burst is not an overload, however large its requests are. */
const LEAST_WAITING = 128;
/** So many requests wait while connections are held that the CPU is never without work. */
const RESERVE_MS = 8;
const LEAST_RESERVE = 8;
/** When more have to wait than so many milliseconds of work, connections are held, and nobody else may wait. */
const CROWD_MS = 50;
const LEAST_CROWD = 64;
/** Made once: a stack for each of thousands of refusals would cost more than the rest of a refusal. */
const REFUSALS = new Map(OVERLOAD_REASONS.map((reason) => [reason, overloaded(reason)]));

/** Decides who may come in, before anything of a request is parsed. */
export class Admission {
  readonly limit: LoadLimit;
  readonly pace = new LoopPace();
  /** Whether the service is stopping, so that each answer has to close its connection. */
  isStopping: () => boolean = () => false;
  readonly strangers: Strangers;
  readonly #held = new HeldConnections({
    room: () => this.#room,
    answers: () => this.limit.within(1000),
  });
  readonly #limits: AdmissionLimits;
  readonly #perAddress: number;
  readonly #gate: FairGate;
  readonly #logouts = new FairGate({
    most: () => LOGOUTS.all,
    mostWaiting: () => LOGOUTS.waiting,
    patience: LOGOUTS.patience,
  });
  readonly #logoutHashes: string[] = [];
  readonly #refused: Record<OverloadReason, number> = { SESSION_BUSY: 0, ADDRESS_BUSY: 0, SERVICE_BUSY: 0 };
  readonly #now: () => number;
  #refusedAt = -Infinity;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(limits: AdmissionLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#perAddress = Math.max(1, Math.ceil(limits.inFlight * ADDRESS_SHARE));
    this.strangers = new Strangers(this.#perAddress);
    this.limit = new LoadLimit(limits.inFlight);
    this.#gate = new FairGate({
      most: () => this.limit.value,
      mostWaiting: () => this.#mostWaiting(),
      patience: PATIENCE_MS,
    });
  }

  get refused(): Refusals {
    return this.#refused;
  }

  get inFlight(): number {
    return this.#gate.inFlight + this.#logouts.inFlight;
  }

  get waiting(): number {
    return this.#gate.waiting + this.#logouts.waiting;
  }

  /** Connections that wait to be read again after an answer. */
  get held(): number {
    return this.#held.size;
  }

  /** Whether nobody else may wait: new requests are refused, except logouts. */
  get isFull(): boolean {
    if (this.#gate.isFull) return true;
    return this.#held.size > 0 && this.#begunLater > this.#crowd;
  }

  /** To be told of the process from time to time. */
  observe(sample: Omit<LoadSample, 'inFlight' | 'left'>): void {
    this.limit.observe({ ...sample, ...this.#gate.takeCounts() });
    this.#gate.admitWaiting();
  }

  /**
   * The refusal of one that could not even wait, before its body is read; undefined if its body is short enough for a logout.
   *
   * @param length of its body in bytes; undefined if it does not say.
   */
  refusalBeforeBody(caller: Caller, length: number | undefined): ServiceError | undefined {
    if (length !== undefined && length <= LOGOUT_BYTES) return undefined;
    const full = this.#gate.full(this.#partyOf(caller));
    return full === undefined ? undefined : this.#refuse(caller, full);
  }

  /**
   * Lets a request in, at once or after a short wait.
   *
   * @param body as it came, if it has one. Whatever mentions a logout may take a place of those that are kept for logouts.
   * @throws ServiceError OVERLOADED
   */
  async enter(caller: Caller, passage: Passage, body?: Buffer): Promise<void> {
    const since = this.#now();
    const party = this.#partyOf(caller);
    const leaveStrangers = this.strangers.enter(caller);
    if (leaveStrangers === undefined) {
      if (body === undefined || !this.mayBeLogout(body)) throw this.#refusal('ADDRESS_BUSY');
      await this.#enterAsLogout(party, caller, passage);
    } else {
      passage.enter(leaveStrangers);
      const place = this.#gate.tryEnter(party);
      if (place === undefined) await this.#wait(party, caller, passage, body);
      else passage.enter(place);
    }
    // The request already counts as in flight while it waits for its turn.
    if (!this.pace.isBusy && !this.limit.isShedding) return;
    await this.pace.turn();
    if (this.#isTooLate(since) && (body === undefined || !this.mayBeLogout(body)))
      throw this.#refusal('SERVICE_BUSY');
  }

  /** Whether what has just been read from a connection was held for too long to be let in. */
  isLate(connection: Connection): boolean {
    return this.#held.isLate(connection);
  }

  /** To be told of a connection that has taken an answer. */
  readonly answered = (connection: Connection): void => {
    const isCrowded = this.limit.isShedding && this.#begunLater + this.#held.size > this.#crowd;
    if (isCrowded && !this.isStopping()) this.#held.hold(connection);
    if (this.#room >= 1) this.#held.release();
  };

  /** Names documents by whose hash a logout may be asked for. */
  addLogoutHashes(hashes: readonly string[]): void {
    this.#logoutHashes.push(...hashes);
  }

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

  /** A burst may take longer than that. But while there is no time for all, none of it goes to those who have waited for too long. */
  #isTooLate(since: number): boolean {
    const now = this.#now();
    return now - since > PATIENCE_MS && now - this.#refusedAt < PATIENCE_MS;
  }

  /** Requests that have been read and have not begun. */
  get #begunLater(): number {
    return this.#gate.waiting + this.pace.waiting;
  }

  get #crowd(): number {
    return Math.max(LEAST_CROWD, this.limit.within(CROWD_MS));
  }

  /** How many more requests may be read. */
  get #room(): number {
    if (!this.limit.isShedding || this.isStopping()) return Infinity;
    return Math.max(LEAST_RESERVE, this.limit.within(RESERVE_MS)) - this.#begunLater;
  }

  async #wait(party: Party, caller: Caller, passage: Passage, body?: Buffer): Promise<void> {
    if (body !== undefined && this.mayBeLogout(body)) {
      await this.#enterAsLogout(party, caller, passage);
      return;
    }
    const entered = await this.#gate.enter(party, passage);
    if (typeof entered === 'string') throw this.#refuse(caller, entered);
    passage.enter(entered);
  }

  async #enterAsLogout(party: Party, caller: Caller, passage: Passage): Promise<void> {
    const entered = await this.#logouts.enter({ ...party, most: LOGOUTS.perParty }, passage);
    if (typeof entered === 'string') throw this.#refuse(caller, entered);
    passage.enter(entered, true);
  }

  /** While the process is busy, no more than it is likely to begin within the patience of those who wait. */
  #mostWaiting(): number {
    const most = Math.min(this.#limits.inFlight, MOST_WAITING);
    if (!this.limit.isShedding) return most;
    return Math.min(most, Math.max(LEAST_WAITING, Math.ceil(this.limit.value * WAITING_PER_PLACE)));
  }

  #partyOf({ presented, network }: Caller): Party {
    if (presented === undefined) {
      return { name: network, most: this.#perAddress };
    }
    return { name: presented.handle, most: this.#limits.perSession };
  }

  #refuse({ presented }: Caller, full: Full): ServiceError {
    const reason =
      full === 'all' ? 'SERVICE_BUSY' : presented === undefined ? 'ADDRESS_BUSY' : 'SESSION_BUSY';
    return this.#refusal(reason);
  }

  #refusal(reason: OverloadReason): ServiceError {
    this.#refused[reason] += 1;
    if (reason === 'SERVICE_BUSY') this.#refusedAt = this.#now();
    return REFUSALS.get(reason) ?? overloaded(reason);
  }
}
