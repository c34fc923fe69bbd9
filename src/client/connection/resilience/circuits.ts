import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  handleWhen,
  SamplingBreaker,
  type CircuitBreakerPolicy,
  type IBackoff,
} from 'cockatiel';
import {
  ExecutionCancelledError,
  ForeignRedirectError,
  PlatformUnreachableError,
  TooManyRedirectsError,
} from '../../errors/error-classes.js';
import { type PlatformResponse } from '../response/platform-response.js';
import { hasErrorCode } from '../response/response-error.js';

/** `auth`: logins, delegations and logouts. `data`: everything else. */
export type CircuitName = 'auth' | 'data';

/** A circuit that opened or closed. */
export interface CircuitChange {
  /** `auth`: logins, delegations and logouts. `data`: everything else. */
  readonly circuit: CircuitName;
  /** Whether calls are refused now. */
  readonly isOpen: boolean;
}

/** The circuits of one platform. They are separate because logins may fail while data works, and the other way round. */
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
  run(circuit: CircuitName, call: () => Promise<PlatformResponse>): Promise<PlatformResponse> {
    return this.#circuits[circuit].run(call);
  }
}

/** The circuit opens above this share of failures, if there are at least {@link MIN_CALLS_PER_SECOND}. */
const FAILURE_SHARE = 0.5;
const SAMPLE_MS = 10_000;
const MIN_CALLS_PER_SECOND = 5;

/** The circuit stays open for 4 to 6 s, at random, so that many instances do not return together. */
const OPEN_MS = { least: 4000, spread: 2000 };

/**
 * Spares a platform that fails: after many failures, calls are refused immediately; then a single call tests whether the
 * platform has recovered. A response with a platform code, whatever the code, counts as healthy.
 */
class Circuit {
  readonly #policy: CircuitBreakerPolicy;
  #nextTryAt = 0;

  /** @param onChange called with true when the circuit opens and with false when it closes */
  constructor(onChange: (isOpen: boolean) => void) {
    this.#policy = circuitBreaker(
      handleWhen((error) => this.#isFault(error)).orWhenResult(isFaultyResponse),
      {
        breaker: new SamplingBreaker({
          threshold: FAILURE_SHARE,
          duration: SAMPLE_MS,
          minimumRps: MIN_CALLS_PER_SECOND,
        }),
        halfOpenAfter: { next: () => this.#nextPause() },
      },
    );
    this.#policy.onBreak(() => {
      onChange(true);
    });
    this.#policy.onReset(() => {
      onChange(false);
    });
  }

  async run(call: () => Promise<PlatformResponse>): Promise<PlatformResponse> {
    // Half open means that a test call is running; the policy would make this call wait for its result.
    if (this.#policy.state === CircuitState.HalfOpen) throw this.#refusal();
    try {
      return await this.#policy.execute(call);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? this.#refusal() : error;
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

  /** A test call that its caller cancelled has not shown that the platform is healthy. */
  #isFault(error: unknown): boolean {
    if (error instanceof ExecutionCancelledError) return this.#policy.state === CircuitState.HalfOpen;
    return !(error instanceof ForeignRedirectError || error instanceof TooManyRedirectsError);
  }

  #nextPause(): IBackoff<unknown> {
    const duration = OPEN_MS.least + Math.random() * OPEN_MS.spread;
    this.#nextTryAt = Date.now() + duration;
    return { duration, next: () => this.#nextPause() };
  }
}

function isFaultyResponse(result: unknown): boolean {
  const response = result as PlatformResponse;
  return response.status >= 500 && !hasErrorCode(response);
}
