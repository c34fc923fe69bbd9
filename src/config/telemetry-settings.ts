import { IsIn, IsOptional } from 'class-validator';
import { Flag, isPlainHttpUrl, Rule, WholeNumber } from './checks.js';
import { isHeaderList } from './network-checks.js';
import { Secret, Setting } from './setting.js';

const isEndpoint = (value: unknown): boolean => value === undefined || isPlainHttpUrl(value);
const ENDPOINT = 'must be an http or https URL without user, query or fragment';

const isHeaders = (value: unknown): boolean => value === undefined || isHeaderList(value);
const HEADERS = 'must be headers such as name=value, separated by commas';

/** The samplers of the OpenTelemetry specification that need no service of their own. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The standard variables of OpenTelemetry. Its SDK reads the ones that are not here. See docs/tracing.md. */
export class TelemetrySettings {
  @Setting('`true` turns OpenTelemetry off, even if other variables turn it on')
  @Flag()
  OTEL_SDK_DISABLED = false;

  @Setting(
    'the OTLP collector for traces and metrics; setting it turns both on',
    'http://collector.example:4318',
  )
  @Rule(ENDPOINT, isEndpoint)
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Setting('the full URL for traces, instead of `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`')
  @Rule(ENDPOINT, isEndpoint)
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;

  @Setting('the full URL for metrics, instead of `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/metrics`')
  @Rule(ENDPOINT, isEndpoint)
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string;

  @Setting('headers for the collector, such as an API key: `name=value,name=value`')
  @Secret()
  @Rule(HEADERS, isHeaders)
  OTEL_EXPORTER_OTLP_HEADERS?: string;

  @Setting(
    'headers for traces only, in addition to `OTEL_EXPORTER_OTLP_HEADERS`; they take precedence over it',
  )
  @Secret()
  @Rule(HEADERS, isHeaders)
  OTEL_EXPORTER_OTLP_TRACES_HEADERS?: string;

  @Setting('the same for metrics')
  @Secret()
  @Rule(HEADERS, isHeaders)
  OTEL_EXPORTER_OTLP_METRICS_HEADERS?: string;

  @Setting('the protocol of the collector; must be `http/protobuf`')
  @IsIn(['http/protobuf'])
  OTEL_EXPORTER_OTLP_PROTOCOL = 'http/protobuf';

  @Setting('`otlp` or `none`; if not set: `otlp` if there is an endpoint')
  @IsOptional()
  @IsIn(['otlp', 'none'])
  OTEL_TRACES_EXPORTER?: 'otlp' | 'none';

  @Setting('`otlp` or `none`; if not set: `otlp` if there is an endpoint')
  @IsOptional()
  @IsIn(['otlp', 'none'])
  OTEL_METRICS_EXPORTER?: 'otlp' | 'none';

  @Setting(
    'which traces are recorded; the `parentbased_` samplers leave that to a caller who sends `traceparent`',
  )
  @IsIn(SAMPLERS)
  OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number] = 'parentbased_always_on';

  @Setting(
    'the share of traces, from 0 to 1, that the `traceidratio` samplers record; if not set: all',
    '0.1',
  )
  @Rule('must be a number from 0 to 1', (value) => value === undefined || isShare(value))
  OTEL_TRACES_SAMPLER_ARG?: string;

  @Setting('milliseconds between two exports of traces')
  @WholeNumber(1)
  OTEL_BSP_SCHEDULE_DELAY = 5000;

  @Setting('how many spans may wait for export; any more are dropped')
  @WholeNumber(1)
  OTEL_BSP_MAX_QUEUE_SIZE = 2048;

  @Setting('milliseconds between two exports of metrics')
  @WholeNumber(1)
  OTEL_METRIC_EXPORT_INTERVAL = 60_000;

  @Setting('`true` sends `traceparent` to the platform; use it if the platform supports trace propagation')
  @Flag()
  OTEL_PROPAGATE_TO_PLATFORM = false;
}

function isShare(value: unknown): boolean {
  return typeof value === 'string' && /^\d*\.?\d+$/.test(value) && Number(value) <= 1;
}
