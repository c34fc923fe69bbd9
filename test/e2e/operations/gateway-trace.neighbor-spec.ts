import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeSupergraph } from '../../../examples/federation/compose.ts';
import { type RunningSubgraph, startRatingsSubgraph } from '../../../examples/federation/ratings-subgraph.ts';
import { startApp, type TestApp } from '../../support/app/start-app.js';
import {
  startCountedPlatform,
  type CountedPlatform,
} from '../../support/embedded-platform/platform-call-counter.js';
import { bearerHandle, type GraphQLCaller } from '../../support/graphql/graphql-caller.js';
import { HIVE_GATEWAY, runGateway, stopGateways } from '../../support/graphql/run-gateway.js';
import { type OtlpCollector, startOtlpCollector } from '../../support/tracing/otlp-collector.js';
import { drawTrace, pictureSpans } from '../../support/tracing/draw-trace.js';
import { traceTree } from '../../support/tracing/trace-tree.js';

const SECRET = 'only-the-router-knows';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const BROWSER = { traceparent: `00-${TRACE}-${SPAN}-01` };
/** Drawn anew with `DRAW_TRACE=1`; docs/tracing.md shows it. */
const PICTURE = new URL('../../../docs/trace.svg', import.meta.url);
const STARTING_MS = 90_000;

describe('one trace from a browser through Hive Gateway', () => {
  let collector: OtlpCollector;
  let platform: CountedPlatform;
  let portico: TestApp;
  let ratings: RunningSubgraph;
  let graphql: GraphQLCaller;
  beforeAll(async () => {
    [collector, platform] = await Promise.all([startOtlpCollector(), startCountedPlatform()]);
    [portico, ratings] = await Promise.all([
      startApp({
        PLATFORM_BASE_URL: platform.baseUrl,
        FEDERATION_SECRET: SECRET,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '50',
      }),
      startRatingsSubgraph(0),
    ]);
    const supergraph = await composeSupergraph({ portico: `${portico.url}/graphql`, ratings: ratings.url });
    ({ graphql } = await runGateway(HIVE_GATEWAY, supergraph, {
      FEDERATION_SECRET: SECRET,
      OPENTELEMETRY: `${collector.url}/v1/traces`,
      OTEL_SERVICE_NAME: 'hive-gateway',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    }));
  }, STARTING_MS);
  afterAll(async () => {
    await stopGateways();
    await Promise.all([portico.close(), ratings.stop()]);
    await platform.close();
    await collector.close();
  });

  it('holds the router, the service and the call to the platform, each below what caused it', async () => {
    const handle = await bearerHandle(graphql, { username: 'demo', password: 'demo' });
    const { errors } = await graphql('{ me { fullName } projects { name } }', { handle, headers: BROWSER });
    expect(errors).toBeUndefined();

    // The last span of each service is that of the whole request.
    for (const service of ['hive-gateway', 'portico']) {
      await collector.span(
        (span) => span.traceId === TRACE && span.service === service && span.name === 'POST /graphql',
      );
    }
    const spans = collector.spans().filter(({ traceId }) => traceId === TRACE);
    expect(traceTree(spans)).toEqual(
      expect.arrayContaining([
        'POST /graphql',
        '        http.fetch',
        '          POST /graphql',
        '            query',
        '              GET projects',
      ]),
    );
    expect(spans.filter(({ parentSpanId }) => parentSpanId === SPAN)).toMatchObject([
      { service: 'hive-gateway' },
    ]);
    expect(spans.find(({ name }) => name === 'http.fetch')).toMatchObject({ service: 'hive-gateway' });
    expect(spans.find(({ name }) => name === 'GET projects')).toMatchObject({ service: 'portico' });
    const picture = drawTrace('A page loads the user and the projects', spans);
    if (process.env.DRAW_TRACE !== undefined) await writeFile(PICTURE, picture);

    expect(pictureSpans(await readFile(PICTURE, 'utf8'))).toEqual(pictureSpans(picture));
  });
});
