/** What one sample says of the process. */
export interface LoadSample {
  /** How much later than due the event loop came to its timers, on average, in milliseconds. */
  readonly delay: number;
  /** The part of the heap's limit that is in use. */
  readonly heap: number;
  /** The most requests that were in flight at once. */
  readonly inFlight: number;
}

/** Above it, answers wait for the CPU more than for the platform. */
const DELAY_LIMIT_MS = 60;
const CALM_DELAY_MS = DELAY_LIMIT_MS / 2;
/** Above it, the collector of garbage takes over. */
const HEAP_LIMIT = 0.9;
/** Even a busy process does so many at once: fewer would not make it any faster. */
const LEAST = 50;
/** One late sample may be a neighbor of the machine, or a collection of garbage. */
const LATE_SAMPLES = 2;
const SHRINK = 0.75;
const GROW = 1.25;

/**
 * How many requests may be in flight: as many as are set while they wait for the platform, and fewer, step by step, while
 * they wait for this process. A limit that is found that way needs no knowledge of the machine: a request in flight
 * costs nothing while its platform is slow, and everything while the CPU is busy.
 */
export class LoadLimit {
  readonly #most: number;
  #value: number;
  #lateSamples = 0;

  /** @param most what is never exceeded. */
  constructor(most: number) {
    this.#most = most;
    this.#value = most;
  }

  get value(): number {
    return this.#value;
  }

  /** Whether fewer are let in than the settings allow. */
  get isShedding(): boolean {
    return this.#value < this.#most;
  }

  observe({ delay, heap, inFlight }: LoadSample): void {
    const isLate = delay > DELAY_LIMIT_MS || heap > HEAP_LIMIT;
    this.#lateSamples = isLate ? this.#lateSamples + 1 : 0;
    if (isLate) {
      // Few requests are not what makes it late: to refuse more would not help.
      if (this.#lateSamples < LATE_SAMPLES || inFlight <= LEAST) return;
      this.#value = Math.max(LEAST, Math.floor(Math.min(this.#value, inFlight) * SHRINK));
    } else if (delay < CALM_DELAY_MS) {
      this.#value = Math.min(this.#most, Math.ceil(this.#value * GROW));
    }
  }
}
