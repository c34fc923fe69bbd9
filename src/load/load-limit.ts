import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** What one sample says of the process. */
export interface ProcessSample {
  /** How much later than due the event loop came to its timers, on average, in milliseconds. */
  readonly delay: number;
  /** The part of the time in which the event loop had work. */
  readonly utilization: number;
  /** The part of the heap's limit that is in use. */
  readonly heap: number;
  /** How long the sample took, in milliseconds. */
  readonly milliseconds: number;
}

/** What one sample says of the process and its requests. */
export interface LoadSample extends ProcessSample {
  /** The most requests that were in flight at the same time. */
  readonly inFlight: number;
  /** How many requests ended. */
  readonly left: number;
}

/** Above it, answers wait for the CPU more than for the platform. */
const DELAY_LIMIT_MS = 60;
const CALM_DELAY_MS = DELAY_LIMIT_MS / 2;
/** Above it, the CPU has no time left, whatever the delay: many short iterations can have a long queue. */
const UTILIZATION_LIMIT = 0.95;
/** Above it, the collector of garbage takes over. */
const HEAP_LIMIT = 0.9;
/** Even a busy process does this many at the same time: fewer would not make it any faster. */
const LEAST = 128;
/** One busy sample may be a neighbor of the machine, or a collection of garbage. */
const BUSY_SAMPLES = 2;
/**
 * A busy process may have as many requests in flight as it completes in this time, so no request waits much longer.
 */
const TARGET_MS = 250;
/** Half of that while the event loop is late: then one iteration completes more than it should. */
const LATE_SHARE = 0.5;
/** Each holds a body and a connection. */
const MOST_WAITING = 1024;
/** A busy process has as many in flight as it ends in 250 ms: as many more begin in half of the patience. */
const WAITING_PER_PLACE = 1;
/** A short burst is not an overload, however large its requests are. */
const LEAST_WAITING = 128;
const SHRINK = 0.95;
const GROW = 1.05;

/**
 * How many requests may be in flight. While they wait for the platform, that is the number in the settings. While the
 * CPU has no time left, it is what the process completes in a quarter of a second. Large requests complete rarely, so
 * while the event loop is late, the limit shrinks step by step. A limit found this way needs no knowledge of the
 * machine: a request in flight costs nothing while its platform is slow, and everything while the CPU is busy.
 */
export class LoadLimit {
  readonly #most: number;
  #busySamples = 0;
  // Set here alone.
  value: number;
  /** How many more may wait: while the process is busy, no more than it is likely to begin within their patience. */
  mostWaiting: number;
  /** Whether fewer are let in than the settings allow. */
  isShedding = false;

  /** @param most what is never exceeded. */
  constructor(most: number) {
    this.#most = most;
    this.value = most;
    this.mostWaiting = Math.min(most, MOST_WAITING);
  }

  /**
   * How many requests the process completes in this many milliseconds, while fewer are let in than the settings
   * allow.
   */
  within(milliseconds: number): number {
    return (this.value * milliseconds) / TARGET_MS;
  }

  observe(sample: LoadSample): void {
    const { delay, heap, utilization, inFlight } = sample;
    const isLate = delay > DELAY_LIMIT_MS || heap > HEAP_LIMIT;
    const isBusy = isLate || utilization > UTILIZATION_LIMIT;
    this.#busySamples = isBusy ? this.#busySamples + 1 : 0;
    if (!isBusy && delay < CALM_DELAY_MS) this.#set(Math.ceil(this.value * GROW));
    // Few requests are not what makes it busy: to refuse more would not help.
    if (this.#busySamples < BUSY_SAMPLES || inFlight <= LEAST) return;
    const ended = endedInTarget(sample) * (isLate ? LATE_SHARE : 1);
    if (ended >= LEAST) this.#set(Math.floor(this.isShedding ? (this.value + ended) / 2 : ended));
    // Little ends: they are few and large, or wait for a slow platform while the process is busy with something else.
    else if (isLate) this.#set(Math.floor(Math.min(this.value, inFlight) * SHRINK));
  }

  #set(value: number): void {
    this.value = Math.min(this.#most, Math.max(LEAST, value));
    this.isShedding = this.value < this.#most;
    const busy = Math.max(LEAST_WAITING, Math.ceil(this.value * WAITING_PER_PLACE));
    this.mostWaiting = Math.min(this.#most, MOST_WAITING, this.isShedding ? busy : Infinity);
  }
}

function endedInTarget({ left, milliseconds }: LoadSample): number {
  return (left / milliseconds) * TARGET_MS;
}

const SAMPLE_MS = 100;
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/**
 * Samples the event loop and the heap until it is stopped.
 *
 * @returns stops it.
 */
export function sampleLoad(observe: (sample: ProcessSample) => void): () => void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let began = performance.now();
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.now();
    const milliseconds = now - began;
    began = now;
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, before);
    before = loop;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    // Without a single measurement the loop was held up for all of the time.
    const delay = histogram.count === 0 ? SAMPLE_MS : histogram.mean / NS_PER_MS - RESOLUTION_MS;
    histogram.reset();
    observe({ delay, utilization, heap: used / limit, milliseconds });
  }, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    histogram.disable();
  };
}
