import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { type LoadSample } from './load-limit.js';

const SAMPLE_MS = 500;
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/**
 * Samples the delay of the event loop and the heap until it is stopped.
 *
 * @returns stops it.
 */
export function watchLoad(observe: (sample: Omit<LoadSample, 'inFlight'>) => void): () => void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const timer = setInterval(() => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    // Without a single measurement the loop was held up for all of the time.
    const delay = histogram.count === 0 ? SAMPLE_MS : histogram.mean / NS_PER_MS - RESOLUTION_MS;
    histogram.reset();
    observe({ delay, heap: used / limit });
  }, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    histogram.disable();
  };
}
