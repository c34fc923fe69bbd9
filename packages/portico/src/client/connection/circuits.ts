import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  handleType,
  SamplingBreaker,
  type CircuitBreakerPolicy,
  type IBackoff,
  type IBreaker,
} from 'cockatiel';
import { PlatformTimeoutError, PlatformUnreachableError } from '../../errors/error-classes.js';
import { type PlatformResponse } from './platform-response.js';
import { type CallInFlight } from './calls-in-flight.js';
import { type Party } from './fair-queue.js';
import { isGatewayFailure } from './response-error.js';
import { Votes } from './votes.js';

/** `auth`: logins, delegations and logouts. `data`: everything else. */
export type CircuitName = 'auth' | 'data';

/** A circuit that opened or closed. */
export interface CircuitChange {
  /** `auth`: logins, delegations and logouts. `data`: everything else. */
  readonly circuit: CircuitName;
  /** Whether calls are refused now. */
  readonly isOpen: boolean;
}

/**
 * The circuits of one platform. They are separate because logins may fail while data works, and the other way round.
 */
export class Circuits {
  readonly #circuits: Readonly<Record<CircuitName, Circuit>>;

  constructor(onChange: (change: CircuitChange) => void = () => undefined) {
    const report = (circuit: CircuitName) => (isOpen: boolean) => {
      try {
        onChange({ circuit, isOpen });
      } catch {
        // An observer must not be able to break the call.
      }
    };
    this.#circuits = { auth: new Circuit(report('auth')), data: new Circuit(report('data')) };
  }

  /** @throws PlatformUnreachableError with `CIRCUIT_OPEN`, immediately, while the circuit is open */
  run(
    circuit: CircuitName,
    party: Party,
    call: CallInFlight,
    make: () => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    return this.#circuits[circuit].run(party, call, make);
  }
}

/** The circuit opens above this share of failures, if there are at least {@link MIN_CALLS_PER_SECOND}. */
const FAILURE_SHARE = 0.5;
const SAMPLE_MS = 10_000;
const MIN_CALLS_PER_SECOND = 5;

/** The circuit stays open for 4 to 6 s, at random, so that many instances do not return together. */
const OPEN_MS = { least: 4000, spread: 2000 };

/**
 * Spares a platform that fails: after many failures, which most callers have met, calls are refused immediately; then
 * a single call tests whether the platform has recovered. It counts as a failure if the platform cannot be reached or
 * is late, or if a gateway says so. Any other response proves that it is up, whatever is wrong with it.
 */
class Circuit {
  readonly #policy: CircuitBreakerPolicy;
  readonly #votes = new Votes();
  #nextTryAt = 0;

  /** @param onChange called with true when the circuit opens and with false when it closes */
  constructor(onChange: (isOpen: boolean) => void) {
    const sampling = new SamplingBreaker({
      threshold: FAILURE_SHARE,
      duration: SAMPLE_MS,
      minimumRps: MIN_CALLS_PER_SECOND,
    });
    const breaker: IBreaker = {
      state: undefined,
      success: (state) => {
        sampling.success(state);
      },
      failure: (state) => sampling.failure(state) && this.#votes.mostFail,
    };
    this.#policy = circuitBreaker(
      handleType(Fault).orWhenResult((result) => isGatewayFailure(result as PlatformResponse)),
      { breaker, halfOpenAfter: { next: () => this.#nextPause() } },
    );
    this.#policy.onBreak(() => {
      onChange(true);
    });
    this.#policy.onReset(() => {
      onChange(false);
    });
  }

  async run(
    party: Party,
    call: CallInFlight,
    make: () => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    // Half open means that a test call is running; the policy would make this call wait for its result.
    if (this.#policy.state === CircuitState.HalfOpen) throw this.#refusal();
    try {
      return await this.#policy.execute(() => this.#judged(party, call, make));
    } catch (error) {
      if (error instanceof Fault) throw error.error;
      throw error instanceof BrokenCircuitError ? this.#refusal() : error;
    }
  }

  async #judged(
    party: Party,
    call: CallInFlight,
    make: () => Promise<PlatformResponse>,
  ): Promise<PlatformResponse> {
    try {
      const response = await make();
      this.#votes.cast(party, isGatewayFailure(response));
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

/** A failure that counts against the platform, on its way through the policy. */
class Fault extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super();
    this.error = error;
  }
}

/** A call that waited here first had less time, or none, for the platform. */
function isFault(error: unknown, call: CallInFlight): boolean {
  if (call.endedBy === undefined) return error instanceof PlatformUnreachableError;
  return error instanceof PlatformTimeoutError && !call.hasWaited;
}
