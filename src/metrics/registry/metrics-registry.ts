import { collectDefaultMetrics, Registry } from 'prom-client';

/** The injection token of the one registry; undefined without `METRICS_PORT`. */
export const MetricsRegistry = Symbol('MetricsRegistry');

/** A registry with what every process shows: CPU, memory, event loop, garbage collection. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
