import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  handleWhen,
  SamplingBreaker,
  type CircuitBreakerPolicy,
  type IBackoff,
} from 'cockatiel';
import { namesACode } from '../response/names-a-code.js';
import {
  ExecutionCancelledError,
  ForeignRedirectError,
  PlatformUnreachableError,
  TooManyRedirectsError,
} from '../../errors/error-classes.js';
import { type PlatformResponse } from '../response/platform-response.js';

/** More than this share of failures opens the circuit, among at least {@link LEAST_PER_SECOND} calls a second. */
const FAILURE_SHARE = 0.5;
const SAMPLE_MS = 10_000;
const LEAST_PER_SECOND = 5;

/** How long the platform is left alone: 4 to 6 s, so that many instances do not come back together. */
const OPEN_MS = { least: 4000, spread: 2000 };

/**
 * Spares a platform that fails: after many failures calls are refused at once, then a single one tries whether it is well
 * again. A platform that answers with a code of its own, whatever the code, is well.
 */
export class Circuit {
  readonly #policy: CircuitBreakerPolicy;
  #nextTryAt = 0;

  /** @param onChange told when the circuit opens (true) and when it closes (false) */
  constructor(onChange: (isOpen: boolean) => void) {
    this.#policy = circuitBreaker(handleWhen((error) => this.#isFault(error)).orWhenResult(isFaultyAnswer), {
      breaker: new SamplingBreaker({
        threshold: FAILURE_SHARE,
        duration: SAMPLE_MS,
        minimumRps: LEAST_PER_SECOND,
      }),
      halfOpenAfter: { next: () => this.#nextPause() },
    });
    this.#policy.onBreak(() => {
      onChange(true);
    });
    this.#policy.onReset(() => {
      onChange(false);
    });
  }

  /** @throws PlatformUnreachableError by `CIRCUIT_OPEN`, at once, while the platform is left alone */
  async run(call: () => Promise<PlatformResponse>): Promise<PlatformResponse> {
    // Half open means that somebody is trying already; the policy would wait for what comes of it.
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
      'The platform has failed too often; it is left alone.',
      'CIRCUIT_OPEN',
      {
        retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
      },
    );
  }

  /** A try that its caller gave up has not shown that the platform is well. */
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

function isFaultyAnswer(answer: unknown): boolean {
  const response = answer as PlatformResponse;
  return response.status >= 500 && !namesACode(response);
}
