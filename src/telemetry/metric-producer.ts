import { type HrTime, ValueType } from '@opentelemetry/api';
import { type Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { type MetricSource } from './telemetry.js';

/** What a histogram's registry gives for each bucket, its sum and its count. */
type Sample = MetricValue<string> & { readonly metricName?: string };

/**
 * Shows the metrics of a Prometheus registry to an OpenTelemetry reader: they are counted once and exported in two
 * ways.
 */
export function metricProducer(resource: Resource, source: MetricSource): MetricProducer {
  const startTime = hrTime(Date.now());
  return {
    collect: async () => {
      const period = { startTime, endTime: hrTime(Date.now()) };
      const metrics = await source.getMetricsAsJSON();
      const data = metrics.flatMap((metric) => metricData(metric, period));
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'portico' }, metrics: data }] },
        errors: [],
      };
    },
  };
}

type Period = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

function metricData(
  { name, help, type, values }: MetricObjectWithValues<MetricValue<string>>,
  period: Period,
): MetricData[] {
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const numbers = (): DataPoint<number>[] =>
    values.map(({ labels, value }) => ({ ...period, attributes: { ...labels }, value }));
  // prom-client gives a string, which its types call by a name.
  switch (String(type)) {
    case 'counter':
      return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() }];
    case 'gauge':
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers() }];
    case 'histogram':
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, period) }];
    default:
      return [];
  }
}

/** One point for each set of labels. Its buckets are separate samples, and each also includes the counts below it. */
function histograms(samples: readonly Sample[], period: Period): DataPoint<Histogram>[] {
  const series = new Map<string, { labels: Record<string, string | number>; samples: Sample[] }>();
  for (const sample of samples) {
    const { le: _bound, ...labels } = sample.labels as Record<string, string | number>;
    const key = JSON.stringify(Object.entries(labels).sort());
    const found = series.get(key) ?? { labels, samples: [] };
    found.samples.push(sample);
    series.set(key, found);
  }
  return [...series.values()].map(({ labels, samples: own }) => ({
    ...period,
    attributes: labels,
    value: histogram(own),
  }));
}

function histogram(samples: readonly Sample[]): Histogram {
  const valueOf = (suffix: string): number =>
    samples.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
  const buckets = samples
    .filter(({ metricName }) => metricName?.endsWith('_bucket'))
    .map(({ labels, value }) => ({ bound: Number(String(labels.le).replace('+Inf', 'Infinity')), value }))
    .sort((one, other) => one.bound - other.bound);
  return {
    buckets: {
      boundaries: buckets.map(({ bound }) => bound).filter(Number.isFinite),
      counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
    },
    sum: valueOf('_sum'),
    count: valueOf('_count'),
  };
}

function hrTime(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1e6];
}
