import { setTimeout as pause } from 'node:timers/promises';
import type { Resource } from '@opentelemetry/resources';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { type Environment, withVariables } from '../config/environment.js';

import { type TelemetrySettings } from '../config/telemetry-settings.js';
import { type MetricSource, metricProducer } from './metric-producer.js';
import { loadOpenTelemetry, type OpenTelemetryPackages } from './load-open-telemetry.js';
import { reportingExporter } from './reporting-exporter.js';
import { sampler } from './sampler.js';
import { Tracing } from './tracing.js';

const SERVICE_NAME = 'portico';
/** How long a collector that does not answer may delay the end of the process. */
const SHUTDOWN_MS = 3000;

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

const NONE: Telemetry = { tracing: undefined, exportMetrics: undefined, shutdown: () => Promise.resolve() };

/**
 * Traces and metrics as the standard variables request them. Nothing of OpenTelemetry is loaded when they request none.
 *
 * @param environment with the variables that the SDK reads on its own, such as `OTEL_RESOURCE_ATTRIBUTES`
 * @param report called once when the collector cannot be reached, and once when it can again
 * @throws Error in one line when the packages are not installed
 */
export async function openTelemetry(
  settings: TelemetrySettings,
  environment: Environment,
  report: (message: string) => void,
): Promise<Telemetry> {
  const isOn = wanted(settings);
  if (!isOn.traces && !isOn.metrics) return NONE;
  const packages = await loadOpenTelemetry();
  const variables = {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('OTEL_'))),
    ...headersOf(settings),
  };
  // The exporters and the detector of the resource read their variables when they are made, and at no other time.
  return withVariables(variables, () => {
    const traces = isOn.traces ? traceProvider(packages, settings, report) : undefined;
    const readers: { shutdown(): Promise<void> }[] = traces === undefined ? [] : [traces];
    const newReader = isOn.metrics ? metricReader(packages, settings, report) : undefined;
    return {
      tracing: traces && new Tracing(packages.api, traces.getTracer(SERVICE_NAME)),
      exportMetrics:
        newReader &&
        ((source) => {
          readers.push(newReader(source));
        }),
      shutdown: () => withinTime(readers.map((reader) => reader.shutdown())),
    };
  });
}

/** The headers that are sent with exports. They may come from files, which the SDK knows nothing about. */
function headersOf(settings: TelemetrySettings): Environment {
  const names = [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  ] as const;
  return Object.fromEntries(
    names.map((name) => [name, settings[name]] as const).filter(([, value]) => value !== undefined),
  );
}

function wanted(settings: TelemetrySettings): { traces: boolean; metrics: boolean } {
  const { OTEL_SDK_DISABLED: isDisabled, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  const on = (exporter: string | undefined, own: string | undefined): boolean =>
    !isDisabled && (exporter === undefined ? (own ?? endpoint) !== undefined : exporter === 'otlp');
  return {
    traces: on(settings.OTEL_TRACES_EXPORTER, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: on(settings.OTEL_METRICS_EXPORTER, settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
  };
}

function resource({ resources }: OpenTelemetryPackages): Resource {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
    .merge(detectResources({ detectors: [envDetector] }));
}

function traceProvider(
  packages: OpenTelemetryPackages,
  settings: TelemetrySettings,
  report: (message: string) => void,
): TracerProvider {
  const { BatchSpanProcessor } = packages.traces;
  const exporter = reportingExporter(new packages.traceExporter.OTLPTraceExporter(), 'traces', report);
  return new packages.traces.TracerProvider({
    resource: resource(packages),
    sampler: sampler(packages, settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
        maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
      }),
    ],
  });
}

function metricReader(
  packages: OpenTelemetryPackages,
  settings: TelemetrySettings,
  report: (message: string) => void,
): (source: MetricSource) => { shutdown(): Promise<void> } {
  const { MeterProvider, PeriodicExportingMetricReader } = packages.metrics;
  const exporter = reportingExporter(new packages.metricExporter.OTLPMetricExporter(), 'metrics', report);
  const described = resource(packages);
  return (source) => {
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: settings.OTEL_METRIC_EXPORT_INTERVAL,
      metricProducers: [metricProducer(packages, described, source)],
    });
    return new MeterProvider({ resource: described, readers: [reader] });
  };
}

async function withinTime(work: readonly Promise<void>[]): Promise<void> {
  const giveUp = new AbortController();
  const late = pause(SHUTDOWN_MS, undefined, { signal: giveUp.signal }).catch(() => undefined);
  await Promise.race([late, Promise.allSettled(work)]);
  giveUp.abort();
}
