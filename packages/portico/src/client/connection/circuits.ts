import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  handleType,
  type IBackoff,
  SamplingBreaker,
} from 'cockatiel';
import { PlatformTimeoutError, PlatformUnreachableError } from '../../errors/error-classes.js';
import { type PlatformResponse } from './platform-response.js';
import { type CallInFlight } from './calls-in-flight.js';
import { GUEST, type Party } from './fair-queue.js';
import { isGatewayFailure } from './response-error.js';

/**
 * `auth`: logins, delegations and logouts. `data`: everything else.
 * @example
 * const circuits: CircuitName[] = ['auth', 'data'];
 */
export type CircuitName = 'auth' | 'data';

/**
 * A circuit that opened or closed.
 * @example
 * const report = ({ circuit, isOpen }: CircuitChange): void => console.log(circuit, isOpen);
 * await using client = new PlatformClient({ baseUrl, circuitBreaker: true, onCircuitChange: report });
 */
export interface CircuitChange {
  /** `auth`: logins, delegations and logouts. `data`: everything else. */
  readonly circuit: CircuitName;
  /** Whether calls are refused now. */
  readonly isOpen: boolean;
  /**
   * For how many milliseconds calls are refused: then a single call tests the platform, and nothing is reported until
   * that has ended or, without another call, at all. 0 when the circuit has closed.
   */
  readonly openMs: number;
}

/**
 * The circuits of one platform. They are separate because logins may fail while data works, and the other way round.
 */
export type Circuits = Readonly<Record<CircuitName, Circuit>>;

export function makeCircuits(onChange: (change: CircuitChange) => void = () => undefined): Circuits {
  const report = (circuit: CircuitName) => (openMs: number) => {
    try {
      onChange({ circuit, isOpen: openMs > 0, openMs });
    } catch {
      // An observer must not be able to break the call.
    }
  };
  return { auth: new Circuit(report('auth')), data: new Circuit(report('data')) };
}

/** The circuit opens above this share of failures, if there are at least {@link MIN_CALLS_PER_SECOND}. */
const FAILURE_SHARE = 0.5;
const SAMPLE_MS = 10_000;
const MIN_CALLS_PER_SECOND = 5;

/** The circuit stays open for 4 to 6 s, at random, so that many instances do not return together. */
const OPEN_MS = { least: 4000, spread: 2000 };

/**
 * Protects a platform that fails: after many failures, which most callers have met, calls are refused immediately;
 * then a single call tests whether the platform has recovered. It counts as a failure if the platform cannot be
 * reached or is late, or if a gateway says so. Any other response proves that it is up, whatever is wrong with it.
 */
class Circuit {
  readonly #policy: CircuitBreakerPolicy;
  readonly #votes = new Votes();
  #nextTryAt = 0;

  /** @param onChange called with the length of the pause when the circuit opens, and with 0 when it closes */
  constructor(onChange: (openMs: number) => void) {
    this.#policy = circuitBreaker(handleType(Fault).orWhenResult(isFailure), {
      breaker: new VotingBreaker(this.#votes),
      halfOpenAfter: { next: () => this.#nextPause() },
    });
    this.#policy.onBreak(() => {
      onChange(this.#nextTryAt - Date.now());
    });
    this.#policy.onReset(() => {
      onChange(0);
    });
  }

  /** @throws PlatformUnreachableError with `CIRCUIT_OPEN`, immediately, while the circuit is open */
  async run<R extends PlatformResponse>(
    party: Party,
    call: CallInFlight,
    make: () => Promise<R>,
  ): Promise<R> {
    // Half open means that a test call is running; the policy would make this call wait for its result.
    if (this.#policy.state === CircuitState.HalfOpen) throw this.#refusal();
    try {
      return await this.#policy.execute(() => this.#judged(party, call, make));
    } catch (error) {
      if (error instanceof Fault) throw error.error;
      throw error instanceof BrokenCircuitError ? this.#refusal() : error;
    }
  }

  async #judged<R extends PlatformResponse>(
    party: Party,
    call: CallInFlight,
    make: () => Promise<R>,
  ): Promise<R> {
    try {
      const response = await make();
      this.#votes.cast(party, isFailure(response));
      return response;
    } catch (caught) {
      const error = call.endedBy ?? caught;
      if (isFault(error, call)) {
        this.#votes.cast(party, true);
        throw new Fault(error);
      }
      // A test call that ended before the platform had its say has not shown that it is healthy.
      if (call.endedBy !== undefined && this.#policy.state === CircuitState.HalfOpen) throw new Fault(error);
      throw error;
    }
  }

  #refusal(): PlatformUnreachableError {
    const leftMs = this.#nextTryAt - Date.now();
    return new PlatformUnreachableError(
      'The platform failed too often; calls are refused for a few seconds.',
      'CIRCUIT_OPEN',
      { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) },
    );
  }

  #nextPause(): IBackoff<unknown> {
    const duration = OPEN_MS.least + Math.random() * OPEN_MS.spread;
    this.#nextTryAt = Date.now() + duration;
    return { duration, next: () => this.#nextPause() };
  }
}

/** Opens when the share of failures is high, and most parties vote that the platform fails. */
class VotingBreaker extends SamplingBreaker {
  readonly #votes: Votes;

  constructor(votes: Votes) {
    super({ threshold: FAILURE_SHARE, duration: SAMPLE_MS, minimumRps: MIN_CALLS_PER_SECOND });
    this.#votes = votes;
  }

  override failure(state: CircuitState): boolean {
    return super.failure(state) && this.#votes.mostFail;
  }
}

/** Most answers are known by their status. */
function isFailure(result: unknown): boolean {
  const response = result as PlatformResponse;
  return response.status >= 500 && isGatewayFailure(response);
}

/** A failure that counts against the platform, on its way through the policy. */
class Fault extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super();
    this.error = error;
  }
}

/** What a call waited for here, for a connection or its turn, is no fault of the platform. */
function isFault(error: unknown, call: CallInFlight): boolean {
  if (call.endedBy === undefined) return error instanceof PlatformUnreachableError;
  return error instanceof PlatformTimeoutError;
}

/** How long the outcome of a call counts. */
const VOTE_MS = 10_000;

/** Fewer failing parties than this never open a circuit. */
const MIN_FAILING = 5;

/** Bounds the memory that a flood of parties can take; the oldest outcome goes first. */
const MAX_VOTERS = 10_000;

interface Vote {
  readonly isGuest: boolean;
  readonly isFault: boolean;
  readonly at: number;
}

/**
 * The outcome of the last call of each account. An account has one vote, and so have all guests of a network
 * together: whose own calls always fail says nothing about the platform, however many calls and sessions it makes.
 */
export class Votes {
  /** The oldest first. */
  readonly #votes = new Map<string, Vote>();
  readonly #named = { votes: 0, faults: 0 };
  readonly #guests = { votes: 0, faults: 0 };

  cast(party: Party, isFault: boolean): void {
    const at = Date.now();
    // Network and account; the finest level only where there is no other.
    const voter = party.slice(0, 2).join('\n');
    const before = this.#votes.get(voter);
    const vote = { isGuest: party[1] === GUEST, isFault, at };
    if (before?.isFault !== isFault) {
      this.#remove(voter);
      this.#count(vote, 1);
    } else this.#votes.delete(voter);
    // The last one now.
    this.#votes.set(voter, vote);
    for (const [oldest, other] of this.#votes) {
      if (at - other.at < VOTE_MS && this.#votes.size <= MAX_VOTERS) return;
      this.#remove(oldest);
    }
  }

  /**
   * Whether most voters saw a fault of the platform, and there are enough of them. Guests alone, who may be any
   * number of networks, do not outvote the named accounts.
   */
  get mostFail(): boolean {
    const { votes, faults } = this.#named;
    const all = { votes: votes + this.#guests.votes, faults: faults + this.#guests.faults };
    return all.faults >= MIN_FAILING && isMost(all) && (votes === 0 || isMost({ votes, faults }));
  }

  #count({ isGuest, isFault }: Vote, by: 1 | -1): void {
    const counts = isGuest ? this.#guests : this.#named;
    counts.votes += by;
    if (isFault) counts.faults += by;
  }

  #remove(voter: string): void {
    const vote = this.#votes.get(voter);
    if (vote === undefined) return;
    this.#votes.delete(voter);
    this.#count(vote, -1);
  }
}

function isMost({ votes, faults }: { readonly votes: number; readonly faults: number }): boolean {
  return faults * 2 > votes;
}
