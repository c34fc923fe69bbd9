import { type Message } from './protobuf.js';

/** The messages of opentelemetry-proto 1.x, as far as the tests look at them. */
const ANY_VALUE: Message = {
  1: { name: 'string', kind: 'string' },
  2: { name: 'bool', kind: 'varint' },
  3: { name: 'int', kind: 'varint' },
  4: { name: 'double', kind: 'double' },
  5: { name: 'array', kind: () => ({ 1: { name: 'values', kind: () => ANY_VALUE } }) },
};
const KEY_VALUE: Message = {
  1: { name: 'key', kind: 'string' },
  2: { name: 'value', kind: () => ANY_VALUE },
};
const RESOURCE: Message = { 1: { name: 'attributes', kind: () => KEY_VALUE } };

const EVENT: Message = {
  1: { name: 'time', kind: 'fixed64' },
  2: { name: 'name', kind: 'string' },
  3: { name: 'attributes', kind: () => KEY_VALUE },
};
const STATUS: Message = { 2: { name: 'message', kind: 'string' }, 3: { name: 'code', kind: 'varint' } };
const SPAN: Message = {
  1: { name: 'traceId', kind: 'hex' },
  2: { name: 'spanId', kind: 'hex' },
  3: { name: 'traceState', kind: 'string' },
  4: { name: 'parentSpanId', kind: 'hex' },
  5: { name: 'name', kind: 'string' },
  6: { name: 'kind', kind: 'varint' },
  7: { name: 'start', kind: 'fixed64' },
  8: { name: 'end', kind: 'fixed64' },
  9: { name: 'attributes', kind: () => KEY_VALUE },
  11: { name: 'events', kind: () => EVENT },
  15: { name: 'status', kind: () => STATUS },
};

/** `ExportTraceServiceRequest`. */
export const TRACES: Message = {
  1: {
    name: 'resourceSpans',
    kind: () => ({
      1: { name: 'resource', kind: () => RESOURCE },
      2: { name: 'scopeSpans', kind: () => ({ 2: { name: 'spans', kind: () => SPAN } }) },
    }),
  },
};

const NUMBER_POINT: Message = {
  4: { name: 'double', kind: 'double' },
  7: { name: 'attributes', kind: () => KEY_VALUE },
};
const HISTOGRAM_POINT: Message = {
  4: { name: 'count', kind: 'fixed64' },
  5: { name: 'sum', kind: 'double' },
  6: { name: 'bucketCounts', kind: 'fixed64s' },
  7: { name: 'bounds', kind: 'doubles' },
  9: { name: 'attributes', kind: () => KEY_VALUE },
};
const METRIC: Message = {
  1: { name: 'name', kind: 'string' },
  5: { name: 'gauge', kind: () => ({ 1: { name: 'points', kind: () => NUMBER_POINT } }) },
  7: {
    name: 'sum',
    kind: () => ({
      1: { name: 'points', kind: () => NUMBER_POINT },
      3: { name: 'isMonotonic', kind: 'varint' },
    }),
  },
  9: { name: 'histogram', kind: () => ({ 1: { name: 'points', kind: () => HISTOGRAM_POINT } }) },
};

/** `ExportMetricsServiceRequest`. */
export const METRICS: Message = {
  1: {
    name: 'resourceMetrics',
    kind: () => ({
      1: { name: 'resource', kind: () => RESOURCE },
      2: { name: 'scopeMetrics', kind: () => ({ 2: { name: 'metrics', kind: () => METRIC } }) },
    }),
  },
};
