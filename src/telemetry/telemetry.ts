import { type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { type Tracing } from './tracing.js';

/** A registry of Prometheus metrics, as far as it is used here. */
export interface MetricSource {
  getMetricsAsJSON(): Promise<MetricObjectWithValues<MetricValue<string>>[]>;
}

/** What goes to the collector. */
export interface Telemetry {
  /** Undefined when traces are off. */
  readonly tracing: Tracing | undefined;
  /** Undefined when metrics are off. From then on they are exported at their interval. */
  readonly exportMetrics: ((source: MetricSource) => void) | undefined;
  /** Exports what is left. Never rejects, and takes no longer than three seconds. */
  shutdown: () => Promise<void>;
}

/** The injection token of the {@link Telemetry}. */
export const Telemetry = Symbol('Telemetry');
