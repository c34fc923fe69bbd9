import type * as Api from '@opentelemetry/api';
import type * as MetricExporter from '@opentelemetry/exporter-metrics-otlp-proto';
import type * as TraceExporter from '@opentelemetry/exporter-trace-otlp-proto';
import type * as Resources from '@opentelemetry/resources';
import type * as Metrics from '@opentelemetry/sdk-metrics';
import type * as Traces from '@opentelemetry/sdk-trace';

/** The packages of OpenTelemetry, all optional: a service that does not use it needs none of them. */
export interface OpenTelemetryPackages {
  readonly api: typeof Api;
  readonly resources: typeof Resources;
  readonly traces: typeof Traces;
  readonly metrics: typeof Metrics;
  readonly traceExporter: typeof TraceExporter;
  readonly metricExporter: typeof MetricExporter;
}

const INSTALL =
  'npm install @opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-trace @opentelemetry/sdk-metrics @opentelemetry/exporter-trace-otlp-proto @opentelemetry/exporter-metrics-otlp-proto';

/**
 * Loads the packages.
 *
 * @throws Error in one line, with the command that installs them, when one is missing.
 */
export async function loadOpenTelemetry(): Promise<OpenTelemetryPackages> {
  try {
    const [api, resources, traces, metrics, traceExporter, metricExporter] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/exporter-metrics-otlp-proto'),
    ]);
    return { api, resources, traces, metrics, traceExporter, metricExporter };
  } catch {
    throw new Error(
      `The OTEL_ settings turn OpenTelemetry on, but its packages are not installed. Install them: ${INSTALL}`,
    );
  }
}
