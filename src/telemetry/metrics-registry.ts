import { collectDefaultMetrics, Registry } from 'prom-client';

/** The injection token of the registry; undefined if nobody reads metrics. */
export const MetricsRegistry = Symbol('MetricsRegistry');

/** A registry with the metrics of the process: CPU, memory, event loop, garbage collection. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
