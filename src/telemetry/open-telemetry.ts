import { type Environment } from '../config/environment.js';
import { type TelemetrySettings } from '../config/telemetry-settings.js';
import { type Telemetry } from './telemetry.js';

const NONE: Telemetry = { tracing: undefined, exportMetrics: undefined, shutdown: () => Promise.resolve() };

/** Where the SDK sends exports if no variable says it. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

/**
 * Traces and metrics as the standard variables request them. OpenTelemetry is loaded only when they request some: it
 * takes time and memory at start.
 *
 * @param environment with the variables that the SDK reads on its own, such as `OTEL_RESOURCE_ATTRIBUTES`
 * @param report called once when the collector cannot be reached, and once when it can again
 */
export async function openTelemetry(
  settings: TelemetrySettings,
  environment: Environment,
  report: (message: string) => void,
): Promise<Telemetry> {
  const signals = requested(settings);
  if (!signals.traces && !signals.metrics) return NONE;
  const { startExport } = await import('./start-export.js');
  return startExport(signals, settings, environment, report);
}

/** Where the exports go, by the setting that says so; nothing if there are none. */
export function collectors(settings: TelemetrySettings): { setting: keyof TelemetrySettings; url: string }[] {
  const isOn = requested(settings);
  const all = [
    isOn.traces ? ('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' as const) : undefined,
    isOn.metrics ? ('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT' as const) : undefined,
  ].map((own) => {
    if (own === undefined) return undefined;
    const setting = settings[own] === undefined ? ('OTEL_EXPORTER_OTLP_ENDPOINT' as const) : own;
    return { setting, url: settings[setting] ?? DEFAULT_ENDPOINT };
  });
  const found = all.filter((each) => each !== undefined);
  return found.filter(({ url }, index) => found.findIndex((other) => other.url === url) === index);
}

function requested(settings: TelemetrySettings): { traces: boolean; metrics: boolean } {
  const { OTEL_SDK_DISABLED: isDisabled, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  const on = (exporter: string | undefined, own: string | undefined): boolean =>
    !isDisabled && (exporter === undefined ? (own ?? endpoint) !== undefined : exporter === 'otlp');
  return {
    traces: on(settings.OTEL_TRACES_EXPORTER, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: on(settings.OTEL_METRICS_EXPORTER, settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
  };
}
