import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { type LoadSample } from './load-limit.js';

const SAMPLE_MS = 100;
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/**
 * Samples the event loop and the heap until it is stopped.
 *
 * @returns stops it.
 */
export function watchLoad(observe: (sample: Omit<LoadSample, 'inFlight' | 'left'>) => void): () => void {
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
