import { IsIn, IsOptional } from 'class-validator';
import { Flag, isPlainHttpUrl, Rule, WholeNumber } from '../checks/checks.js';
import { isHeaderList } from '../checks/network-checks.js';
import { Secret, Setting } from '../checks/setting.js';

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
  @Setting('`true` turns OpenTelemetry off, whatever else is set')
  @Flag()
  OTEL_SDK_DISABLED = false;

  @Setting(
    'the OTLP collector of traces and metrics; setting it turns both on',
    'http://collector.example:4318',
  )
  @Rule(ENDPOINT, isEndpoint)
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Setting('the whole address for traces, in place of `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`')
  @Rule(ENDPOINT, isEndpoint)
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;

  @Setting('the whole address for metrics, in place of `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/metrics`')
  @Rule(ENDPOINT, isEndpoint)
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string;

  @Setting('headers for the collector, such as an API key: `name=value,name=value`')
  @Secret()
  @Rule(HEADERS, isHeaders)
  OTEL_EXPORTER_OTLP_HEADERS?: string;

  @Setting('headers for traces alone, in addition to `OTEL_EXPORTER_OTLP_HEADERS` and before it')
  @Secret()
  @Rule(HEADERS, isHeaders)
  OTEL_EXPORTER_OTLP_TRACES_HEADERS?: string;

  @Setting('the same for metrics')
  @Secret()
  @Rule(HEADERS, isHeaders)
  OTEL_EXPORTER_OTLP_METRICS_HEADERS?: string;

  @Setting('the protocol of the collector; only `http/protobuf`')
  @IsIn(['http/protobuf'])
  OTEL_EXPORTER_OTLP_PROTOCOL = 'http/protobuf';

  @Setting('`otlp` or `none`; not set: `otlp` where there is an endpoint')
  @IsOptional()
  @IsIn(['otlp', 'none'])
  OTEL_TRACES_EXPORTER?: 'otlp' | 'none';

  @Setting('`otlp` or `none`; not set: `otlp` where there is an endpoint')
  @IsOptional()
  @IsIn(['otlp', 'none'])
  OTEL_METRICS_EXPORTER?: 'otlp' | 'none';

  @Setting(
    'which traces are recorded; the `parentbased_` ones leave that to a caller who sends `traceparent`',
  )
  @IsIn(SAMPLERS)
  OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number] = 'parentbased_always_on';

  @Setting('the share of traces, from 0 to 1, that the `traceidratio` samplers record; not set: all', '0.1')
  @Rule('must be a number from 0 to 1', (value) => value === undefined || isShare(value))
  OTEL_TRACES_SAMPLER_ARG?: string;

  @Setting('milliseconds between two exports of traces')
  @WholeNumber(1)
  OTEL_BSP_SCHEDULE_DELAY = 5000;

  @Setting('spans that wait for their export; more are dropped')
  @WholeNumber(1)
  OTEL_BSP_MAX_QUEUE_SIZE = 2048;

  @Setting('milliseconds between two exports of metrics')
  @WholeNumber(1)
  OTEL_METRIC_EXPORT_INTERVAL = 60_000;

  @Setting('`true` sends `traceparent` to the platform, for a platform that continues traces')
  @Flag()
  OTEL_PROPAGATE_TO_PLATFORM = false;
}

function isShare(value: unknown): boolean {
  return typeof value === 'string' && /^\d*\.?\d+$/.test(value) && Number(value) <= 1;
}
