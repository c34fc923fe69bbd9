import type { Sampler } from '@opentelemetry/sdk-trace';
import { type TelemetrySettings } from '../config/telemetry-settings.js';
import { type OpenTelemetryPackages } from './load-open-telemetry.js';

/** The sampler that the settings name. */
export function sampler(
  { traces }: Pick<OpenTelemetryPackages, 'traces'>,
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TelemetrySettings,
): Sampler {
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = traces;
  const byName: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(share === undefined ? 1 : Number(share)),
  };
  const root = byName[name.replace('parentbased_', '')]?.() ?? new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
