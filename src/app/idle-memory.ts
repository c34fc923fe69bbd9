import { Session } from 'node:inspector';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** A process that worked for less than this part of the time, with no request in flight, is idle; one that worked for more than the other was busy. */
const IDLE = 0.1;
const BUSY = 0.3;
const SAMPLE_MS = 100;
/** Samples in a row: 3 s. After startup, one is enough: without a request yet, nobody waits for the collection. */
const IDLE_SAMPLES = 30;
/** Less is not worth the pause. */
const LEAST_BYTES = 8 * 1024 * 1024;
/** With more in use, one collection would hold up the event loop for too long. */
const MOST_USED_BYTES = 160 * 1024 * 1024;

/** What one sample says about the process. */
export interface IdleSample {
  /** The part of the time in which the event loop had work. */
  readonly utilization: number;
  /** Requests in flight: collecting garbage would hold them up. */
  readonly inFlight: number;
  /** Bytes of the heap that are in use, and that are held. */
  readonly used: number;
  readonly held: number;
}

/** Notices when a process that was busy has become idle and holds memory that it no longer needs. */
export class IdleMemory {
  #wasBusy = true;
  #idleSamples = 0;
  #samplesNeeded = 1;

  /** Whether now is the time to release memory. True once after each busy period. */
  observe({ utilization, inFlight, used, held }: IdleSample): boolean {
    if (utilization > BUSY) this.#wasBusy = true;
    if (inFlight > 0) this.#samplesNeeded = IDLE_SAMPLES;
    this.#idleSamples = utilization < IDLE && inFlight === 0 ? this.#idleSamples + 1 : 0;
    if (!this.#wasBusy || this.#idleSamples < this.#samplesNeeded) return false;
    this.#wasBusy = false;
    this.#samplesNeeded = IDLE_SAMPLES;
    return held - used > LEAST_BYTES && used < MOST_USED_BYTES;
  }
}

/**
 * Releases memory to the system when the process is idle after it was busy. V8 collects garbage while objects are created: a service
 * that creates none after a peak would keep the memory of the peak until the next one.
 */
export function releaseIdleMemory(inFlight: () => number): void {
  const idle = new IdleMemory();
  let last = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const { used_heap_size: used, total_heap_size: held } = getHeapStatistics();
    if (idle.observe({ utilization, inFlight: inFlight(), used, held })) collectGarbage();
  }, SAMPLE_MS).unref();
}

/** Collects garbage and releases its memory. Node offers no other way without a command-line option; this opens no port. */
export function collectGarbage(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => {
    // Not here: the inspector calls back while it holds the lock that `disconnect` waits for.
    setImmediate(() => {
      session.disconnect();
    });
  });
}
