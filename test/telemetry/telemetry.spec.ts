import 'reflect-metadata';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import * as api from '@opentelemetry/api';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { TelemetrySettings } from '../../src/config/telemetry-settings.js';
import { openTelemetry } from '../../src/telemetry/open-telemetry.js';
import { type Telemetry } from '../../src/telemetry/telemetry.js';
import { Tracing } from '../../src/telemetry/tracing.js';
import { eventually } from '../../packages/portico/test/support/eventually.js';
import { attributesOf, spansOf, spansOfJson } from '../support/tracing/collected-span.js';
import { type OtlpCollector, startOtlpCollector } from '../support/tracing/otlp-collector.js';
import { TRACES } from '../support/tracing/otlp-messages.js';
import { type Decoded, decode } from '../support/tracing/protobuf.js';

const PARENT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };

describe('OpenTelemetry', () => {
  let collector: OtlpCollector;
  let reports: string[];
  const opened: Telemetry[] = [];
  const open = async (
    overrides: Partial<TelemetrySettings> = {},
    environment: Record<string, string> = {},
  ): Promise<Telemetry> => {
    const settings = Object.assign(new TelemetrySettings(), {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...overrides,
    });
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = settings;
    const telemetry = await openTelemetry(
      settings,
      { OTEL_EXPORTER_OTLP_ENDPOINT, ...environment },
      (message) => {
        reports.push(message);
      },
    );
    opened.push(telemetry);
    return telemetry;
  };
  beforeEach(async () => {
    collector = await startOtlpCollector();
    reports = [];
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((telemetry) => telemetry.shutdown()));
    await collector.close();
  });

  it.each<[string, Partial<TelemetrySettings>, boolean, boolean]>([
    ['nothing without an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: undefined }, false, false],
    ['both with an endpoint', {}, true, true],
    [
      'nothing when the SDK is disabled',
      { OTEL_SDK_DISABLED: true, OTEL_TRACES_EXPORTER: 'otlp' },
      false,
      false,
    ],
    ['metrics alone when traces are set to none', { OTEL_TRACES_EXPORTER: 'none' }, false, true],
    ['traces alone when metrics are set to none', { OTEL_METRICS_EXPORTER: 'none' }, true, false],
    [
      'what names its exporter, to the default endpoint',
      { OTEL_EXPORTER_OTLP_ENDPOINT: undefined, OTEL_TRACES_EXPORTER: 'otlp' },
      true,
      false,
    ],
    [
      'the signal that has an endpoint of its own',
      { OTEL_EXPORTER_OTLP_ENDPOINT: undefined, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1/m' },
      false,
      true,
    ],
  ])('sends %s', async (_title, overrides, traces, metrics) => {
    const { tracing, exportMetrics } = await open(overrides);

    expect([tracing !== undefined, exportMetrics !== undefined]).toEqual([traces, metrics]);
  });

  it('continues a trace, nests what runs inside, and says what failed by the kind of the error alone', async () => {
    const { tracing, shutdown } = await open({ OTEL_METRICS_EXPORTER: 'none' });
    if (tracing === undefined) throw new Error('traces are off');
    const request = tracing.begin('POST /graphql', { place: 'server', parent: PARENT });
    await new Promise<void>((resolve) => {
      tracing.enter(request, () => {
        void tracing
          .run('session load', { attributes: { depth: 1 } }, () =>
            tracing.run('session_store read', { place: 'client' }, () =>
              Promise.reject(new RangeError('the secret of the caller')),
            ),
          )
          .catch(() => {
            resolve();
          });
      });
    });
    request.end();
    await shutdown();

    const [server, load, read] = ['POST /graphql', 'session load', 'session_store read'].map((name) =>
      collector.spans().find((span) => span.name === name),
    );
    expect(server).toMatchObject({
      service: 'portico',
      name: 'POST /graphql',
      kind: 'server',
      traceId: PARENT.traceId,
      parentSpanId: PARENT.spanId,
      hasFailed: false,
    });
    expect(load).toMatchObject({ name: 'session load', kind: 'internal', parentSpanId: server?.spanId });
    expect(load?.attributes).toEqual({ depth: 1, 'error.type': 'RangeError' });
    expect(read).toMatchObject({ kind: 'client', parentSpanId: load?.spanId, hasFailed: true });
    expect(collector.received()).not.toContain('the secret of the caller');
  });

  it('sends the headers, the name and the attributes that the standard variables give, and leaves none behind', async () => {
    const { tracing, shutdown } = await open(
      {
        OTEL_METRICS_EXPORTER: 'none',
        // As settings: they may come from files.
        OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of-the-collector,x-all=1',
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-api-key=of-traces',
      },
      {
        OTEL_SERVICE_NAME: 'portico-eu',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      },
    );
    tracing?.begin('one').end();
    await shutdown();

    expect(collector.spans()).toMatchObject([{ name: 'one', service: 'portico-eu' }]);
    expect(collector.headers()).toMatchObject({
      'x-all': '1',
      'x-api-key': 'of-traces',
      'content-encoding': 'gzip',
    });
    expect(process.env.OTEL_EXPORTER_OTLP_HEADERS).toBeUndefined();
  });

  it.each([
    ['always_off', true, 0],
    ['always_on', false, 1],
    ['parentbased_always_off', true, 1],
    ['parentbased_always_on', false, 0],
  ] as const)('samples by %s when the caller says %p', async (OTEL_TRACES_SAMPLER, isSampled, count) => {
    const { tracing, shutdown } = await open({ OTEL_TRACES_SAMPLER, OTEL_METRICS_EXPORTER: 'none' });
    tracing?.begin('one', { parent: { ...PARENT, isSampled } }).end();
    await shutdown();

    expect(collector.spans()).toHaveLength(count);
  });

  it('exports the metrics of a registry as they are', async () => {
    const registry = new Registry();
    const registers = [registry];
    new Counter({ name: 'calls_total', help: 'c', labelNames: ['code'], registers }).inc({ code: 'OK' }, 3);
    new Gauge({ name: 'open', help: 'g', registers }).set(2.5);
    const times = new Histogram({
      name: 'seconds',
      help: 'h',
      labelNames: ['route'],
      buckets: [1, 2],
      registers,
    });
    for (const value of [0.5, 1.5, 1.7, 9]) times.observe({ route: '/graphql' }, value);
    const { exportMetrics, shutdown } = await open({ OTEL_TRACES_EXPORTER: 'none' });
    exportMetrics?.(registry);
    await shutdown();

    const points = Object.fromEntries(
      collector.metrics().map(({ name, sum, gauge, histogram }) => {
        const kind = (sum ?? gauge ?? histogram)?.[0] as Decoded;
        return [String(name?.[0]), kind.points as Decoded[]];
      }),
    );
    expect(points.calls_total?.[0]).toMatchObject({ double: [3] });
    expect(attributesOf(points.calls_total?.[0]?.attributes)).toEqual({ code: 'OK' });
    expect(points.open?.[0]).toMatchObject({ double: [2.5] });
    expect(points.seconds?.[0]).toMatchObject({
      count: [4n],
      sum: [12.7],
      bounds: [1, 2],
      bucketCounts: [1n, 2n, 1n],
    });
    expect(attributesOf(points.seconds?.[0]?.attributes)).toEqual({ route: '/graphql' });
  });

  it('reports once that the collector refuses data, and once that it accepts data again', async () => {
    const { tracing } = await open({ OTEL_METRICS_EXPORTER: 'none', OTEL_BSP_SCHEDULE_DELAY: 1 });
    collector.answerWith(401);
    tracing?.begin('one').end();
    await eventually(() => reports.length === 1);
    collector.answerWith(200);
    await eventually(() => {
      tracing?.begin('two').end();
      return reports.length === 2;
    });

    expect(reports).toEqual([
      'The OpenTelemetry collector does not accept traces: it answered HTTP 401',
      'The OpenTelemetry collector accepts traces again',
    ]);
  });

  it('ends within the documented 3 s when the collector takes connections and never answers', async () => {
    const stuck = createServer((socket) => socket.resume().on('error', () => undefined)).listen(
      0,
      '127.0.0.1',
    );
    await once(stuck, 'listening');
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(stuck.address() as AddressInfo).port}`;
    const { tracing, exportMetrics, shutdown } = await open(
      { OTEL_EXPORTER_OTLP_ENDPOINT },
      // The SDK alone would wait this long.
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' },
    );
    const sockets: Socket[] = [];
    stuck.on('connection', (socket) => sockets.push(socket));
    const registry = new Registry();
    new Gauge({ name: 'open', help: 'g', registers: [registry] }).set(1);
    exportMetrics?.(registry);
    tracing?.begin('one').end();
    opened.pop();
    const began = performance.now();
    const ended = shutdown();
    await eventually(() => sockets.length === 2);
    await ended;
    expect(performance.now() - began).toBeLessThan(30_000);
    // An answer that is not retried, so that the SDK leaves nothing running.
    for (const socket of sockets) socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
    stuck.close();
  });
});

describe('the collector of the tests', () => {
  it('reads from protobuf what the SDK itself writes as JSON', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
    const tracing = new Tracing(api, provider.getTracer('test'));
    const attributes = { text: 'täxt', whole: 7, part: 0.5, flag: true, list: ['a', 'b'] };
    const span = tracing.begin('one', { place: 'client', parent: PARENT, attributes });
    span.addEvent('retry', { 'http.response.status_code': 503 });
    tracing.fail(span, 'TestError');
    span.end();
    tracing.begin('two').end();
    await provider.forceFlush();
    const finished = exporter.getFinishedSpans();

    const protobuf = ProtobufTraceSerializer.serializeRequest(finished) ?? new Uint8Array();
    const json = Buffer.from(JsonTraceSerializer.serializeRequest(finished) ?? []).toString();

    const read = spansOf(decode(protobuf, TRACES));
    expect(read).toEqual(spansOfJson(json));
    expect(read).toMatchObject([
      { name: 'one', attributes, events: [{ name: 'retry' }], hasFailed: true, parentSpanId: PARENT.spanId },
      { name: 'two', hasFailed: false },
    ]);
  });
});
