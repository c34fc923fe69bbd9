import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { eventually } from '../../../packages/portico/test/support/eventually.js';
import { noteOutput } from '../secrets/secret-ledger.js';
import { type Decoded, decode } from './protobuf.js';
import { METRICS, TRACES } from './otlp-messages.js';
import { type CollectedSpan, spansOf, spansOfJson } from './collected-span.js';

/** An OTLP/HTTP collector: it takes protobuf, as Portico sends it, and JSON, as some gateways do. */
export interface OtlpCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** All spans that have come so far. */
  spans(): readonly CollectedSpan[];
  /** All metrics of the last export that had any. */
  metrics(): readonly Decoded[];
  /** Every byte that has come so far, as text. */
  received(): string;
  /** The headers of the last request. */
  headers(): IncomingMessage['headers'];
  /** Waits until there is such a span, and gives it. */
  span(isIt: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  /** Answers with this status from now on. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  let metrics: readonly Decoded[] = [];
  let headers: IncomingMessage['headers'] = {};
  let status = 200;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    headers = request.headers;
    const raw = Buffer.concat(chunks);
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    if (status === 200) {
      bodies.push(body);
      noteOutput(body.toString('latin1'));
      const isJson = headers['content-type']?.startsWith('application/json') === true;
      if (request.url === '/v1/metrics') metrics = metricsOf(decode(body, METRICS));
      else spans.push(...(isJson ? spansOfJson(body.toString()) : spansOf(decode(body, TRACES))));
    }
    // An empty message is a whole success.
    response.writeHead(status, { 'content-type': headers['content-type'] ?? '' }).end();
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans],
    metrics: () => metrics,
    received: () => Buffer.concat(bodies).toString('latin1'),
    headers: () => headers,
    span: async (isIt) => {
      let found: CollectedSpan | undefined;
      await eventually(() => (found = spans.find(isIt)) !== undefined);
      if (found === undefined) throw new Error('there is no such span');
      return found;
    },
    answerWith: (code) => {
      status = code;
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      });
    },
  };
}

function metricsOf(request: Decoded): Decoded[] {
  return (request.resourceMetrics as Decoded[]).flatMap(({ scopeMetrics }) =>
    (scopeMetrics as Decoded[]).flatMap(({ metrics }) => (metrics ?? []) as Decoded[]),
  );
}
