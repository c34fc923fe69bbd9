import { createHash } from 'node:crypto';
import { OverloadedError, type OverloadReason } from '../../errors/overloaded-error.js';
import { type Caller } from '../caller/caller.js';
import { FairGate, type Full, type Party } from './fair-gate.js';
import { LoadLimit } from './load-limit.js';
import { type Passage } from './passage.js';

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
const LOGOUT_BYTES = 2048;

/** Decides who may come in, before anything of a request is parsed. */
export class Admission {
  readonly limit: LoadLimit;
  readonly #limits: AdmissionLimits;
  readonly #gate: FairGate;
  readonly #logouts = new FairGate({
    most: () => LOGOUTS.all,
    mostWaiting: LOGOUTS.waiting,
    patience: LOGOUTS.patience,
  });
  readonly #logoutHashes: string[] = [];
  readonly #refused: Record<OverloadReason, number> = { SESSION_BUSY: 0, ADDRESS_BUSY: 0, SERVICE_BUSY: 0 };

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
    this.limit = new LoadLimit(limits.inFlight);
    this.#gate = new FairGate({
      most: () => this.limit.value,
      mostWaiting: Math.min(limits.inFlight, MOST_WAITING),
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

  /** To be told of the process from time to time. */
  observe(sample: { readonly delay: number; readonly heap: number }): void {
    this.limit.observe({ ...sample, inFlight: this.#gate.takePeak() });
    this.#gate.admitWaiting();
  }

  /**
   * Refuses one that could not even wait before its body is read, unless it is short enough for a logout.
   *
   * @param length of its body in bytes; undefined if it does not say.
   * @throws OverloadedError
   */
  expect(caller: Caller, length: number | undefined): void {
    if (length !== undefined && length <= LOGOUT_BYTES) return;
    const full = this.#gate.full(this.#partyOf(caller));
    if (full !== undefined) throw this.#refuse(caller, full);
  }

  /**
   * Lets a request in, at once or after a short wait.
   *
   * @param body as it came, if it has one. Whatever mentions a logout may take a place of those that are kept for logouts.
   * @throws OverloadedError
   */
  async enter(caller: Caller, passage: Passage, body?: Buffer): Promise<void> {
    const party = this.#partyOf(caller);
    const place = this.#gate.tryEnter(party);
    if (place !== undefined) {
      passage.enter(place);
      return;
    }
    const mayBeLogout = body !== undefined && this.#mayBeLogout(body);
    const entered = mayBeLogout
      ? await this.#logouts.enter({ ...party, most: LOGOUTS.perParty }, passage.gone)
      : await this.#gate.enter(party, passage.gone);
    if (typeof entered === 'string') throw this.#refuse(caller, entered);
    passage.enter(entered, mayBeLogout);
  }

  /** Names documents by whose hash a logout may be asked for. */
  addLogoutHashes(hashes: readonly string[]): void {
    this.#logoutHashes.push(...hashes);
  }

  #mayBeLogout(body: Buffer): boolean {
    if (body.length > LOGOUT_BYTES) return false;
    const text = body.toString('latin1');
    return LOGOUT.test(text) || this.#logoutHashes.some((hash) => text.includes(hash));
  }

  #partyOf({ presented, network }: Caller): Party {
    if (presented === undefined) {
      return { name: network, most: Math.max(1, Math.ceil(this.#limits.inFlight * ADDRESS_SHARE)) };
    }
    const name = createHash('sha256').update(presented.handle).digest('base64');
    return { name, most: this.#limits.perSession };
  }

  #refuse({ presented }: Caller, full: Full): OverloadedError {
    const reason =
      full === 'all' ? 'SERVICE_BUSY' : presented === undefined ? 'ADDRESS_BUSY' : 'SESSION_BUSY';
    this.#refused[reason] += 1;
    return new OverloadedError(reason);
  }
}
