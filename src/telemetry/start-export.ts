import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as api from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { version } from '../config/version.js';
import { type Environment, withVariables } from '../config/environment.js';
import { type TelemetrySettings } from '../config/telemetry-settings.js';
import { metricProducer } from './metric-producer.js';
import { type MetricSource, type Telemetry } from './telemetry.js';
import { Tracing } from './tracing.js';

const SERVICE_NAME = 'portico';
/** How long a collector that does not answer may delay the end of the process. */
const SHUTDOWN_MS = 3000;

/** Starts the exports to the collector. This file loads OpenTelemetry, so it is imported only when exports are on. */
export function startExport(
  isOn: { readonly traces: boolean; readonly metrics: boolean },
  settings: TelemetrySettings,
  environment: Environment,
  report: (message: string) => void,
): Telemetry {
  const variables = {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('OTEL_'))),
    ...headersOf(settings),
  };
  // The exporters and the detector of the resource read their variables when they are made, and at no other time.
  return withVariables(variables, () => {
    const described = resource();
    const traces = isOn.traces ? traceProvider(described, settings, report) : undefined;
    const newReader = isOn.metrics ? metricReader(described, settings, report) : undefined;
    const exports: { shutdown(): Promise<void> }[] = traces === undefined ? [] : [traces];
    return {
      tracing: traces && new Tracing(api, traces.getTracer(SERVICE_NAME)),
      exportMetrics:
        newReader &&
        ((source) => {
          exports.push(newReader(source));
        }),
      shutdown: () => withinTime(exports.map((each) => each.shutdown())),
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

function resource(): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': SERVICE_NAME,
        'service.version': version(),
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
}

function traceProvider(
  described: Resource,
  settings: TelemetrySettings,
  report: (message: string) => void,
): TracerProvider {
  return new TracerProvider({
    resource: described,
    sampler: sampler(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new TraceExporter(new CollectorStatus('traces', report)),
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
        maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
      }),
    ],
  });
}

function sampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TelemetrySettings): Sampler {
  const byName: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(share === undefined ? 1 : Number(share)),
  };
  const root = byName[name.replace('parentbased_', '')]?.() ?? new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function metricReader(
  described: Resource,
  settings: TelemetrySettings,
  report: (message: string) => void,
): (source: MetricSource) => MeterProvider {
  const exporter = new MetricExporter(new CollectorStatus('metrics', report));
  return (source) => {
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: settings.OTEL_METRIC_EXPORT_INTERVAL,
      metricProducers: [metricProducer(described, source)],
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

class TraceExporter extends OTLPTraceExporter {
  readonly #status: CollectorStatus;

  constructor(status: CollectorStatus) {
    super();
    this.#status = status;
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, this.#status.watch(done));
  }
}

class MetricExporter extends OTLPMetricExporter {
  readonly #status: CollectorStatus;

  constructor(status: CollectorStatus) {
    super();
    this.#status = status;
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, this.#status.watch(done));
  }
}

/** The result of an export, as the SDK reports it to the caller of an exporter. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

const SUCCESS = 0;

/**
 * Reports when the collector does not accept data, and when it does again, because the SDK does not. Only the error's
 * code or HTTP status is reported.
 */
class CollectorStatus {
  readonly #what: 'traces' | 'metrics';
  readonly #report: (message: string) => void;
  #isFailing = false;

  constructor(what: 'traces' | 'metrics', report: (message: string) => void) {
    this.#what = what;
    this.#report = report;
  }

  /** The callback of an export, which first takes note of its result. */
  watch<T extends ExportResult>(done: (result: T) => void): (result: T) => void {
    return (result) => {
      const isFailing = result.code !== SUCCESS;
      if (isFailing && !this.#isFailing) {
        this.#report(`The OpenTelemetry collector does not accept ${this.#what}: ${faultOf(result.error)}`);
      } else if (!isFailing && this.#isFailing) {
        this.#report(`The OpenTelemetry collector accepts ${this.#what} again`);
      }
      this.#isFailing = isFailing;
      done(result);
    };
  }
}

function faultOf(error: Error | undefined): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  if (typeof code === 'number') return `it answered HTTP ${code}`;
  const system = code ?? cause?.code;
  return typeof system === 'string' ? system : 'no connection, or no answer in time';
}
